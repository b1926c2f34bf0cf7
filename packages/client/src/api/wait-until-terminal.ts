import { retryOf } from '@pawl/base/errors'
import { isTerminal, type ResourceKind } from '../schemas/kinds.ts'
import type { CallOptions } from './request.ts'
import type { Sleep } from './send.ts'

export interface WaitOptions extends CallOptions {
  /** Milliseconds before the second read; each wait is 1.5 times the one before. Default 2,000. */
  firstPauseMs?: number
  /** Max wait between reads, in milliseconds. Default 60,000. */
  maxPauseMs?: number
}

/** Consecutive failed reads after which the wait gives up. */
const maxFailures = 5

/** Polls a resource at growing intervals until its status is terminal. Throws the reason of an aborted signal, an error of `read` with `retry: 'never'`, and the fifth error in a row. */
export async function waitUntilTerminal<T extends { status: string }>(
  kind: ResourceKind,
  read: (options: CallOptions) => Promise<T>,
  deps: { sleep: Sleep; random: () => number },
  options: WaitOptions = {},
): Promise<T> {
  const { signal, priority = 'background', firstPauseMs = 2_000, maxPauseMs = 60_000 } = options
  let failures = 0
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    let retryAfterMs = 0
    try {
      const resource = await read({ signal, priority })
      if (isTerminal(kind, resource.status)) return resource
      failures = 0
    } catch (error) {
      signal?.throwIfAborted()
      const retry = retryOf(error)
      if (retry === 'never' || ++failures === maxFailures) throw error
      retryAfterMs = typeof retry === 'object' ? retry.afterMs : 0
    }
    await deps.sleep(Math.max(retryAfterMs, pauseMs * (0.9 + deps.random() * 0.2)), signal)
  }
}
