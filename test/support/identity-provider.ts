import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { startServer } from '../../packages/base/src/net/server.ts'
import { createProvider, endContexts } from '../foreign/oidc-provider.ts'
import { answerWithoutEnd } from './endless.ts'

/** The client that pawl is there. */
export const oidcClient = { id: 'pawl-console', secret: 'a-client-secret-for-tests' }

/** A real identity provider that logs every visitor in as `subject` without a question. */
export interface IdentityProvider {
  issuer: string
  /** The path whose answers never end, if any. */
  endless?: string
  /** Who comes next, with which roles. */
  person: { subject: string; username: string; roles: readonly string[] }
  /** What its ID tokens say in place of the right claims, by which key. */
  forge: { claims?: (right: JWTPayload) => JWTPayload; key?: 'own' | 'foreign' } | undefined
  close(): Promise<void>
}

/** How its client sends the secret: Okta and Keycloak register one way for each client, and refuse the other as `invalid_client` (RFC 6749, 5.2; read 2026-11). */
export interface IdentityProviderOptions {
  /** Default: `client_secret_basic`, which a client has that names none (OpenID Connect Registration 1.0, 2). */
  takes?: 'client_secret_basic' | 'client_secret_post'
  /** Which ways its metadata states. Default: the one that it takes; `undefined` states none (Discovery 1.0, 3). */
  states?: readonly string[] | undefined
}

/** Starts it on a free port of 127.0.0.1, for one console; it takes no login without PKCE, and the secret in one way. */
export async function startIdentityProvider(
  redirectUri: string,
  { takes = 'client_secret_basic', ...options }: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const states = 'states' in options ? options.states : [takes]
  let listener: RequestListener = () => {}
  const server = await startServer((request, response) => listener(request, response), { host: '127.0.0.1', port: 0 })
  const { url: issuer } = server
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const { privateKey: foreignKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(privateKey)), kid: 'own', alg: 'RS256', use: 'sig' }

  const running: IdentityProvider = {
    issuer,
    person: { subject: 'u-1', username: 'maria', roles: ['operator'] },
    forge: undefined,
    async close() {
      await server.close(0)
      endContexts()
    },
  }
  const provider = createProvider(issuer, {
    clients: [
      {
        client_id: oidcClient.id,
        client_secret: oidcClient.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: takes,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a-cookie-key-for-tests'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'roles'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    findAccount: (_context: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject, preferred_username: running.person.username, roles: [...running.person.roles] }),
    }),
  })
  provider.use(async (context, next) => {
    // oidc-provider takes either way from a client of one.
    const way = context.get('authorization') === '' ? 'client_secret_post' : 'client_secret_basic'
    if (context.path === '/token' && way !== takes) {
      context.status = 401
      context.body = { error: 'invalid_client' }
      return
    }
    await next()
    if (context.path === '/.well-known/openid-configuration')
      Object.assign(context.body as object, { token_endpoint_auth_methods_supported: states })
    if (context.path === '/token') await forgeToken(context.body as { id_token?: string })
  })
  const answer = provider.callback()

  async function forgeToken(body: { id_token?: string }): Promise<void> {
    const { forge } = running
    if (forge === undefined || body.id_token === undefined) return
    const { claims = (right) => right, key = 'own' } = forge
    body.id_token = await new SignJWT(claims(decodeJwt(body.id_token)))
      .setProtectedHeader({ alg: 'RS256', kid: 'own' })
      .sign(key === 'own' ? privateKey : foreignKey)
  }

  /** Logs in and consents at once. */
  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response)
    const { subject: accountId } = running.person
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
    grant.addOIDCScope('openid profile')
    const grantId = await grant.save()
    await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } })
  }

  listener = (request, response) => {
    if (running.endless !== undefined && request.url?.startsWith(running.endless) === true)
      return answerWithoutEnd(response)
    if (request.url?.startsWith('/interaction/') === true) return void interact(request, response)
    void answer(request, response)
  }
  return running
}
