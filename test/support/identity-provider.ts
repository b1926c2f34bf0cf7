import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { startServer } from '../../src/base/net/server.ts'
import { endContexts } from './end-contexts.ts'
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
  close(): Promise<void>
}

/** Starts it on a free port of 127.0.0.1, for one console; it takes no login without PKCE. */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  let listener: RequestListener = () => {}
  const server = await startServer((request, response) => listener(request, response), { host: '127.0.0.1', port: 0 })
  const { url: issuer } = server
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })

  const running: IdentityProvider = {
    issuer,
    person: { subject: 'u-1', username: 'maria', roles: ['operator'] },
    async close() {
      await server.close(0)
      await endContexts()
    },
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.id,
        client_secret: oidcClient.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [await exportJWK(privateKey)] },
    cookies: { keys: ['a-cookie-key-for-tests'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'roles'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, preferred_username: running.person.username, roles: [...running.person.roles] }),
    }),
  })
  const answer = provider.callback()

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
