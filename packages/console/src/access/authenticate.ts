import type { Request, RequestHandler, Response } from 'express'
import type { AddressRanges } from '@pawl/base/net/address-ranges'
import { isRole } from '@pawl/base/roles'
import { readSender } from '@pawl/base/net/sender-address'
import type { Credentials } from './credentials.ts'
import type { GroupedNotes } from '@pawl/ledger/audit/grouped-notes'
import type { Logins } from '@pawl/ledger/audit/logins'
import { readOrigin, remember } from '@pawl/base/net/login-limits'
import { type Access, anybody, namedPerson, type Person } from './person.ts'
import { readPersonName } from './person-name.ts'
import type { Session, Sessions } from './session.ts'

export interface AuthenticateDeps {
  credentials: Credentials
  sessions: Sessions
  /** Headers in which a trusted proxy names the user. */
  proxy: { userHeader: string; rolesHeader: string | undefined } | undefined
  trustedProxies: AddressRanges
  /** Identity provider; absent: none is configured. */
  oidc: { issuer: string; mark: string } | undefined
  isReserved: (name: string) => boolean
  ledger: Pick<Logins, 'admit'>
  notes: GroupedNotes
}

/** Authenticates by a trusted proxy's headers, a session, or HTTP Basic, in this order. It refuses no request; `authorize` does. */
export function createAuthenticate(deps: AuthenticateDeps): RequestHandler {
  const { credentials, sessions, proxy, trustedProxies, oidc, isReserved, ledger, notes } = deps
  /** Names from the proxy that the ledger has admitted. */
  const admitted = new Set<string>()

  async function readProxied(req: Request): Promise<Pick<Access, 'person' | 'refused'> | undefined> {
    if (proxy === undefined || !trustedProxies.has(req.socket.remoteAddress ?? '')) return undefined
    const name = readPersonName(req.get(proxy.userHeader)?.trim())
    if (name === undefined) return undefined
    if (!(await isAdmitted(name))) {
      notes.refusedName({ account: undefined, address: readSender(req, trustedProxies) ?? '', by: 'proxy' })
      return { refused: 'wrong' }
    }
    const words = proxy.rolesHeader === undefined ? [] : (req.get(proxy.rolesHeader) ?? '').split(/[\s,;]+/)
    return { person: namedPerson(name, words.filter(isRole), 'proxy') }
  }

  async function isAdmitted(name: string): Promise<boolean> {
    if (isReserved(name)) return false
    if (admitted.has(name)) return true
    const actor = { name, via: 'admin', auth: 'proxy' } as const
    const isOwn = await ledger.admit({ actor, rivals: { issuer: oidc?.issuer, proxy: true } })
    if (isOwn) remember(admitted, name)
    return isOwn
  }

  /** The person of a session, with current roles; undefined if its password or provider was removed. */
  function readSessionPerson(session: Session): Person | undefined {
    const { name, method, roles, account } = session
    if (method === 'oidc')
      return session.mark === oidc?.mark && !isReserved(name) ? namedPerson(name, roles, method, account) : undefined
    const proven = credentials.renew(session)
    return proven && personOf(proven)
  }

  async function readSession(req: Request, res: Response): Promise<Access | undefined> {
    const found = await sessions.read(req)
    const person = found && readSessionPerson(found.session)
    if (found === undefined || person === undefined) return undefined
    const { session, endsAt, isYoung } = found
    // Only opening a page extends the session: not background requests, and not forms, which may be refused.
    const opensPage = req.method === 'GET' && req.get('hx-request') === undefined
    const sessionEndsAt = isYoung || !opensPage ? endsAt : await sessions.renew(res, session)
    return { person, sessionEndsAt, formToken: sessions.formTokenOf(session.id) }
  }

  async function readBasic(req: Request): Promise<Pick<Access, 'person' | 'refused'>> {
    const given = parseBasic(req.get('authorization'))
    if (given === undefined || !credentials.areTaken) return {}
    const address = readSender(req, trustedProxies)
    const verdict = await credentials.check(given, readOrigin(req, trustedProxies))
    if ('proven' in verdict) {
      const person = personOf(verdict.proven)
      // Scripts name themselves in a separate header.
      return { person: person.isSelfNamed ? anybody(person.method) : person }
    }
    if ('retryAfterSeconds' in verdict) return { refused: verdict }
    notes.refusedLogin({ name: verdict.knownName, address: address ?? '', by: 'basic' })
    return { refused: 'wrong' }
  }

  return async (req, res, next) => {
    const proxied = await readProxied(req)
    const session = proxied === undefined ? await readSession(req, res) : undefined
    if (session !== undefined) req.access = session
    else {
      const found = proxied ?? (await readBasic(req))
      const of = `${found.person?.method ?? ''} ${found.person?.name ?? ''}`
      req.access = { ...found, formToken: sessions.formTokenOf(of) }
    }
    next()
  }
}

/** The person of a session. */
export function personOf({ name, roles, method }: Pick<Session, 'name' | 'roles' | 'method'>): Person {
  return method === 'shared_password' ? { ...anybody(method), name } : namedPerson(name, roles, method)
}

function parseBasic(header: string | undefined): { name: string; password: string } | undefined {
  const [scheme, credentials = ''] = (header ?? '').split(' ', 2)
  if (scheme?.toLowerCase() !== 'basic') return undefined
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return { name: text.slice(0, Math.max(0, colon)), password: text.slice(colon + 1) }
}
