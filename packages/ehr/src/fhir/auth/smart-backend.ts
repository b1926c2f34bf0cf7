import { type Clock, systemClock } from '@pawl/base/clock'
import { type Fetch, leanFetch } from '@pawl/base/net/fetch'
import { reachTokenEndpoint } from './reach-token-endpoint.ts'
import { createHeldToken } from './held-token.ts'
import { discoverTokenUrl, type IssuedToken, requestToken } from './request-token.ts'
import type { SigningKey } from './signing-keys.ts'
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

/** Bearer tokens by SMART Backend Services (`private_key_jwt`). */
export function createSmartBackend(options: SmartBackendOptions): TokenProvider {
  const { baseUrl, clientId, key, scopes, clock = systemClock, timeoutMs = 10_000 } = options
  const deps = { clock, fetch: options.fetch ?? leanFetch, timeoutMs }
  let discovered: string | undefined

  async function fetchToken(): Promise<IssuedToken> {
    try {
      const tokenUrl = options.tokenUrl ?? (discovered ??= await discoverTokenUrl(deps, baseUrl))
      // Only an endpoint of the settings is used without a check of its network.
      const isNamed = options.tokenUrl !== undefined || options.fetch !== undefined
      const fetch = isNamed ? deps.fetch : await reachTokenEndpoint(tokenUrl, baseUrl)
      return await requestToken({ ...deps, fetch }, tokenUrl, { clientId, key, scopes })
    } catch (error) {
      // The endpoint may have moved.
      discovered = undefined
      throw error
    }
  }

  return { scopes, ...createHeldToken(fetchToken, clock) }
}
