import { parseCookie, stringifySetCookie } from 'cookie'
import { Router } from 'express'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { z } from 'zod'
import type { AddressRanges } from '@pawl/base/net/address-ranges'
import { describeError } from '@pawl/base/errors'
import { fetchBounded, maxShortAnswerBytes } from '@pawl/base/net/read-bounded'
import type { Log } from '@pawl/base/log'
import { isRole, type Role } from '@pawl/base/roles'
import { readSender } from '@pawl/base/net/sender-address'
import { MessagePage } from '../pages/message.tsx'
import { ReturnPage } from '../pages/return.tsx'
import { sendPage } from '../render.tsx'
import type { GroupedNotes } from '@pawl/ledger/audit/grouped-notes'
import { ownPath } from './own-path.ts'
import { nameOfAccount, readPersonName } from './person-name.ts'
import { actorOf, type Sessions } from './session.ts'
import type { Logins } from '@pawl/ledger/audit/logins'

/** An identity provider for logins. */
export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string
  /** The claim of the ID token with roles; dots separate the parts of a path. */
  rolesClaim: string
  /** The public address of the console. */
  publicUrl: string
}

export interface OidcRoutesDeps {
  oidc: OidcSettings
  /** Whether a proxy names people, too. */
  hasProxy: boolean
  isReserved: (name: string) => boolean
  sessions: Sessions
  trustedProxies: AddressRanges
  notes: GroupedNotes
  ledger: Pick<Logins, 'admit'>
  log: Log
}

/** Carries state for the check of the callback; Lax, since the callback comes from the provider. */
const cookieName = '__Host-pawl-login'
const attributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const

const Note = z.object({ verifier: z.string(), state: z.string(), nonce: z.string(), to: z.string() })

/** Identifies the provider in its sessions. */
export function oidcMarkOf({ issuer, clientId }: Pick<OidcSettings, 'issuer' | 'clientId'>): string {
  return `${issuer} ${clientId}`
}

/** GET /login/oidc and /login/oidc/callback: the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export function createOidcRoutes(deps: OidcRoutesDeps): Router {
  const { oidc, hasProxy, isReserved, sessions, trustedProxies, notes, ledger, log } = deps
  const redirectUri = new URL('/login/oidc/callback', oidc.publicUrl)
  const provider = createProvider(oidc)
  const router = Router()

  router.get('/login/oidc', async (req, res) => {
    const [verifier, state, nonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()]
    let address: URL
    try {
      address = buildAuthorizationUrl(await provider(), {
        redirect_uri: redirectUri.href,
        scope: 'openid profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
    } catch (error) {
      log.error({ component: 'oidc', error }, 'the identity provider did not answer')
      const message = 'The identity provider (OIDC_ISSUER) did not answer; try again in a moment.'
      sendPage(res, <MessagePage title="Not logged in" message={message} />, 503)
      return
    }
    const value = await sessions.sealNote({ verifier, state, nonce, to: ownPath(req.query.to) })
    res.append('set-cookie', stringifySetCookie({ name: cookieName, value, maxAge: 600, ...attributes }))
    res.set('cache-control', 'no-store').redirect(303, address.href)
  })

  router.get('/login/oidc/callback', async (req, res) => {
    res.append('set-cookie', stringifySetCookie({ name: cookieName, value: '', maxAge: 0, ...attributes }))
    const sealed = parseCookie(req.get('cookie') ?? '')[cookieName]
    const note = Note.safeParse(sealed && (await sessions.openNote(sealed))).data
    const found = note && (await redeem(req.originalUrl, note))
    const from = readSender(req, trustedProxies) ?? ''
    if (note === undefined || found === undefined) {
      notes.refusedLogin({ name: undefined, address: from, by: 'oidc' })
      const message = 'The response of the identity provider was invalid: log in again.'
      sendPage(res, <MessagePage title="Not logged in" message={message} />, 401)
      return
    }
    const { name, account, roles } = found
    const person = { name, method: 'oidc', roles, account, mark: oidcMarkOf(oidc) } as const
    const rivals = { issuer: account.issuer, proxy: hasProxy }
    const login = { actor: actorOf(person), details: { address: from, roles }, rivals }
    if (isReserved(name) || !(await ledger.admit(login))) {
      notes.refusedName({ account, address: from, by: 'oidc' })
      const message = `The name ${name} belongs to another person here: get another one at the identity provider.`
      sendPage(res, <MessagePage title="Not logged in" message={message} />, 403)
      return
    }
    await sessions.begin(res, person)
    // A redirect would count as cross-site and carry no cookie.
    sendPage(res, <ReturnPage to={note.to} />)
  })

  async function redeem(url: string, { verifier, state, nonce }: z.infer<typeof Note>) {
    try {
      const current = new URL(redirectUri)
      current.search = new URL(url, oidc.publicUrl).search
      const tokens = await authorizationCodeGrant(await provider(), current, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      // At most 255 ASCII characters (OpenID Connect Core 1.0, 2).
      if (claims === undefined || !/^[\x20-\x7e]{1,255}$/.test(claims.sub)) return undefined
      // Refuse a token that was issued to another client (OpenID Connect Core 1.0, 3.1.3.7).
      if (claims.azp !== undefined && claims.azp !== oidc.clientId) return undefined
      // A multi-tenant provider has an issuer for each tenant: equal subjects of two tenants are different accounts.
      if (trimmed(claims.iss) !== trimmed(oidc.issuer)) return undefined
      const account = { issuer: oidc.issuer, subject: claims.sub }
      const name = readPersonName(claims.preferred_username) ?? nameOfAccount(account)
      return { name, account, roles: readRoles(claims, oidc.rolesClaim) }
    } catch (error) {
      log.warn({ component: 'oidc', error, code: describeError(error).code }, 'a login was refused')
      return undefined
    }
  }
  return router
}

/** The provider's metadata, fetched on first use and then cached. */
function createProvider({ issuer, clientId, clientSecret }: OidcSettings): () => Promise<Configuration> {
  let reading: Promise<Configuration> | undefined
  // The settings allow plain HTTP only to this machine.
  const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])]
  const authentication = authenticateBy(clientSecret)
  return () => {
    reading ??= discovery(new URL(issuer), clientId, undefined, authentication, {
      execute,
      timeout: 10,
      // The types allow bodies on a shared buffer, but the library sends forms only.
      [customFetch]: (address, init) => fetchBounded(address, init as RequestInit, maxShortAnswerBytes),
    }).catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** Sends the secret by a method of the provider; by `client_secret_basic` if it states none (OpenID Connect Discovery 1.0, 3). */
function authenticateBy(clientSecret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    const isPostAlone = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return (isPostAlone ? post : basic)(server, ...request)
  }
}

const trimmed = (issuer: string) => issuer.replace(/\/$/, '')

/** The known roles in the claim; other words are ignored. */
function readRoles(claims: Readonly<Record<string, unknown>>, path: string): Role[] {
  const value = claims[path] ?? path.split('.').reduce<unknown>((at, key) => fieldOf(at, key), claims)
  const words = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : []
  return words.filter((word): word is Role => typeof word === 'string' && isRole(word))
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? // The condition proves the key.
      (value as Record<string, unknown>)[key]
    : undefined
}
