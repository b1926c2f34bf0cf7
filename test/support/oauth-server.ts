import type { RequestListener } from 'node:http'
import { startServer } from '../../packages/base/src/net/server.ts'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { createProvider, endContexts } from '../foreign/oidc-provider.ts'

/** The client that the server knows. */
export const clientId = 'pawl-at-the-hospital'
/** The server's own, which it wants to have, though nothing here is signed with it. */
const { privateKey } = await generateKeyPair('RS256', { extractable: true })
const ownKeys = { keys: [await exportJWK(privateKey)] }

/** Scopes that the client may request. */
export const scopes = ['system/Patient.rs', 'system/Task.crus']
/** A scope that the server can grant, but not to this client. */
export const deniedScope = 'system/Observation.rs'

export interface OAuthServerOptions {
  /** Public keys of the client, or the address that they are served at. */
  keys: readonly JWK[] | string
  /** Seconds that a token holds. Default 300. */
  lifeSeconds?: number
}

/** A real OAuth server with a FHIR server beside it that takes its tokens. */
export interface OAuthServer {
  /** The FHIR base, which names the token endpoint in its SMART configuration. */
  baseUrl: string
  tokenUrl: string
  /** Requests for tokens so far. */
  tokenRequests(): number
  /** From now on the client has these keys and no others. */
  replaceKeys(keys: readonly JWK[]): void
  /** Withdraws every token that was issued. */
  withdrawTokens(): void
  /** The status that the FHIR server answers to this token. */
  statusFor(token: string | undefined): Promise<number>
  close(): Promise<void>
}

/** Starts it on a free port of 127.0.0.1, for `private_key_jwt` with RS384 and ES384. */
export async function startOAuthServer({ keys, lifeSeconds = 300 }: OAuthServerOptions): Promise<OAuthServer> {
  let listener: RequestListener = () => {}
  const server = await startServer((request, response) => listener(request, response), { host: '127.0.0.1', port: 0 })
  const { url } = server

  let client = clientWith(keys)
  const stored = new Map<string, Stored>()
  const provider = createProvider(url, {
    adapter: (model: string) => adapterOf(stored, model, () => client),
    scopes: [...scopes, deniedScope],
    jwks: ownKeys,
    clientAuthMethods: ['private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['RS384', 'ES384'] },
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: lifeSeconds },
    // Its own refuses to read keys from this machine.
    fetch: (address: string) => fetch(address),
  })
  const answerOAuth = provider.callback()
  let tokenRequests = 0
  listener = (request, response) => {
    if (request.url === '/token') tokenRequests += 1
    if (request.url === '/fhir/.well-known/smart-configuration')
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ token_endpoint: `${url}/token` }))
    else if (request.url === '/fhir/Patient')
      void provider.ClientCredentials.find(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '').then(
        (token) => response.writeHead(token?.isValid === true ? 200 : 401).end(),
      )
    else void answerOAuth(request, response)
  }
  return {
    baseUrl: `${url}/fhir`,
    tokenUrl: `${url}/token`,
    tokenRequests: () => tokenRequests,
    replaceKeys(fresh) {
      client = clientWith(fresh)
    },
    withdrawTokens: () => stored.clear(),
    async statusFor(token) {
      const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
      return (await fetch(`${url}/fhir/Patient`, { headers })).status
    },
    async close() {
      await server.close(0)
      endContexts()
    },
  }
}

/** What the server stores of a client or a token. */
type Stored = Record<string, unknown>

function clientWith(keys: readonly JWK[] | string): Stored {
  return {
    client_id: clientId,
    token_endpoint_auth_method: 'private_key_jwt',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: scopes.join(' '),
    ...(typeof keys === 'string' ? { jwks_uri: keys } : { jwks: { keys: [...keys] } }),
  }
}

/** Keeps what the server stores in memory; reads its only client anew each time. */
function adapterOf(stored: Map<string, Stored>, model: string, readClient: () => Stored) {
  const nothing = () => Promise.resolve(undefined)
  return {
    upsert: (id: string, payload: Stored) => Promise.resolve(void stored.set(`${model} ${id}`, payload)),
    find: (id: string) =>
      Promise.resolve(model === 'Client' ? (id === clientId ? readClient() : undefined) : stored.get(`${model} ${id}`)),
    findByUserCode: nothing,
    findByUid: nothing,
    consume: nothing,
    destroy: (id: string) => Promise.resolve(void stored.delete(`${model} ${id}`)),
    revokeByGrantId: nothing,
  }
}
