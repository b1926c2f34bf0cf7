import type { Clock } from '@pawl/base/clock'
import type { IssuedToken } from './request-token.ts'
import { FhirTokenUnavailable } from './token-errors.ts'
import type { TokenProvider } from './token-provider.ts'

/** Milliseconds before its expiry at which a token is renewed; at most half of its lifetime. */
const renewalMs = 60_000
/** Milliseconds for which a failure is reused, so that a failing token endpoint is not flooded. */
const failureRestMs = 5_000
/** Milliseconds in which a 401 fetches a new token only once: a server that also refuses a fresh token refuses pawl itself. */
const refusalRestMs = 60_000

interface HeldToken {
  value: string
  since: number
  renewAt: number
  endsAt: number
}

/**
 * The token that `fetchToken` brings: fetched on first use, shared by all requests, and renewed a minute before it expires while requests go on
 * with the current one. All waiting callers share one token request.
 */
export function createHeldToken(fetchToken: () => Promise<IssuedToken>, clock: Clock): TokenProvider {
  let held: HeldToken | undefined
  let pending: Promise<string> | undefined
  let failed: { error: unknown; since: number } | undefined
  let lastRefusalAt: number | undefined

  async function fetchAnew(): Promise<string> {
    const { value, lifeMs } = await fetchToken()
    const since = clock.now()
    held = { value, since, renewAt: since + lifeMs - Math.min(renewalMs, lifeMs / 2), endsAt: since + lifeMs }
    failed = undefined
    return value
  }

  function renew(): Promise<string> {
    // A clock set back must not prolong a failure.
    if (failed !== undefined && isWithin(clock.now() - failed.since, failureRestMs)) return Promise.reject(failed.error)
    pending ??= fetchAnew()
      .catch((error: unknown) => {
        failed = { error, since: clock.now() }
        throw error
      })
      .finally(() => (pending = undefined))
    return pending
  }

  return {
    async token(signal) {
      const now = clock.now()
      if (held === undefined || now < held.since || now >= held.endsAt) return unlessAborted(renew(), signal)
      // Renews in the background. A failure shows once the current token has expired.
      if (now >= held.renewAt) renew().catch(() => {})
      return held.value
    },
    refused(token) {
      if (token !== held?.value) return
      const now = clock.now()
      if (lastRefusalAt !== undefined && isWithin(now - lastRefusalAt, refusalRestMs)) return
      lastRefusalAt = now
      held = undefined
    },
  }
}

function isWithin(elapsedMs: number, limitMs: number): boolean {
  return elapsedMs >= 0 && elapsedMs < limitMs
}

/** Resolves as `work` does, unless the caller aborts first; `work` continues for the others. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new FhirTokenUnavailable({ reason: 'the run was given up', isOutage: false }))
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
