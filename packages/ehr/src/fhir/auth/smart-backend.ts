import { type Clock, systemClock } from '@pawl/base/clock'
import { type Fetch, leanFetch } from '@pawl/base/net/fetch'
import { reachTokenEndpoint } from './reach-token-endpoint.ts'
import { discoverTokenUrl, requestToken } from './request-token.ts'
import type { SigningKey } from './signing-keys.ts'
import { FhirTokenUnavailable } from './token-errors.ts'
import type { TokenProvider } from './token-provider.ts'

export interface SmartBackendOptions {
  /** The server's FHIR R4 base. */
  baseUrl: string
  /** pawl's client id at the EHR. */
  clientId: string
  /** Signs the assertions; its public part is registered at the EHR. */
  key: SigningKey
  /** Requested scopes, separated by spaces. */
  scopes: string
  /** The token endpoint; absent: the one that the server names in its SMART configuration. */
  tokenUrl?: string | undefined
  fetch?: Fetch
  /** Time limit of one request, in milliseconds. Default 10,000. */
  timeoutMs?: number
  clock?: Clock
}

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
 * Bearer tokens by SMART Backend Services (`private_key_jwt`). One is fetched on first use, shared by all requests, and renewed a minute before it
 * expires while requests go on with the current one. All waiting callers share one token request.
 */
export function createSmartBackend(options: SmartBackendOptions): TokenProvider {
  const { baseUrl, clientId, key, scopes, clock = systemClock, timeoutMs = 10_000 } = options
  const deps = { clock, fetch: options.fetch ?? leanFetch, timeoutMs }
  let discovered: string | undefined
  let held: HeldToken | undefined
  let pending: Promise<string> | undefined
  let failed: { error: unknown; since: number } | undefined
  let lastRefusalAt: number | undefined

  async function fetchToken(): Promise<string> {
    const tokenUrl = options.tokenUrl ?? (discovered ??= await discoverTokenUrl(deps, baseUrl))
    // Only an endpoint of the settings is used without a check of its network.
    const isNamed = options.tokenUrl !== undefined || options.fetch !== undefined
    const fetch = isNamed ? deps.fetch : await reachTokenEndpoint(tokenUrl, baseUrl)
    const { value, lifeMs } = await requestToken({ ...deps, fetch }, tokenUrl, { clientId, key, scopes })
    const since = clock.now()
    held = { value, since, renewAt: since + lifeMs - Math.min(renewalMs, lifeMs / 2), endsAt: since + lifeMs }
    failed = undefined
    return value
  }

  function renew(): Promise<string> {
    // A clock set back must not prolong a failure.
    if (failed !== undefined && isWithin(clock.now() - failed.since, failureRestMs)) return Promise.reject(failed.error)
    pending ??= fetchToken()
      .catch((error: unknown) => {
        failed = { error, since: clock.now() }
        // The endpoint may have moved.
        discovered = undefined
        throw error
      })
      .finally(() => (pending = undefined))
    return pending
  }

  return {
    scopes,
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
