import { retryOf } from '../errors.ts'
import { isTerminal, type ResourceKind } from '../resources/kinds.ts'
import type { Sleep } from './send.ts'
import type { CallOptions } from './request.ts'

export interface WaitOptions extends CallOptions {
  /** Milliseconds before the second look; each pause is half as long again as the last. Default 2,000. */
  firstPauseMs?: number
  /** Milliseconds that a pause grows to. Default 60,000. */
  maxPauseMs?: number
}

/** Looks that may fail in a row before the wait gives up. */
const maxFailures = 5

/** Reads a resource at a growing pace until its status is terminal. Throws the reason of an aborted signal, what `read` throws for good, and the fifth passing failure in a row. */
export async function waitUntilTerminal<T extends { status: string }>(
  kind: ResourceKind,
  read: (options: CallOptions) => Promise<T>,
  deps: { sleep: Sleep; random: () => number },
  options: WaitOptions = {},
): Promise<T> {
  const { signal, priority = 'background', firstPauseMs = 2_000, maxPauseMs = 60_000 } = options
  let failures = 0
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    let askedMs = 0
    try {
      const resource = await read({ signal, priority })
      if (isTerminal(kind, resource.status)) return resource
      failures = 0
    } catch (error) {
      signal?.throwIfAborted()
      const retry = retryOf(error)
      if (retry === 'never' || ++failures === maxFailures) throw error
      askedMs = typeof retry === 'object' ? retry.afterMs : 0
    }
    await deps.sleep(Math.max(askedMs, pauseMs * (0.9 + deps.random() * 0.2)), signal)
  }
}
