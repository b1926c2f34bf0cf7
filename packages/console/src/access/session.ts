import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import { z } from 'zod'
import { roleNames } from '@pawl/base/roles'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import type { Logins } from '@pawl/ledger/audit/logins'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'
import type { SessionClock } from './session-clock.ts'

/** Max idle time of a session, in seconds. */
const idleSeconds = 30 * 60
/** Max age of a session, in seconds. */
const maxSeconds = 12 * 3_600
/** Min time between two renewals of a session, in seconds. */
const renewAfterSeconds = 60

/** Content of a session, sealed in a cookie; no process stores it. */
const Session = z.object({
  id: z.string(),
  name: z.string(),
  method: z.enum(['password', 'shared_password', 'oidc']),
  /** The account at the identity provider, if one was the login. */
  account: z.object({ issuer: z.string(), subject: z.string() }).optional(),
  roles: z.array(z.enum(roleNames)),
  /** The password or provider of the login: the session ends with it. */
  mark: z.string(),
  /** Time of the login, in seconds. */
  began: z.number(),
})
export type Session = z.infer<typeof Session>
const Sealed = z.object({ session: Session, iat: z.number(), exp: z.number() })

export interface Sessions {
  /** Starts a session in the browser. */
  begin(this: void, res: Response, who: Omit<Session, 'id' | 'began'>): Promise<void>
  /** The session of a request, and when it ends; undefined if it has ended. */
  read(this: void, req: Request): Promise<{ session: Session; endsAt: number; isYoung: boolean } | undefined>
  /** Whether the browser sends a session, which may have ended. */
  isSent(this: void, req: Request): boolean
  /** Extends it; resolves with its new end. */
  renew(this: void, res: Response, session: Session): Promise<number>
  /** Ends the session: deletes the cookie, and revokes it for good in the ledger, which records the logout. */
  end(this: void, req: Request, res: Response): Promise<void>
  /** Form token of one session, or of one person without a session. */
  formTokenOf(this: void, of: string): string
  /** Seals short-lived data carried by the browser, for ten minutes. */
  sealNote(this: void, note: Record<string, string>): Promise<string>
  openNote(this: void, sealed: string): Promise<Record<string, unknown> | undefined>
}

export interface SessionsDeps {
  /** Shared by the processes of one set-up; absent: sessions end with the process. */
  key: Uint8Array | undefined
  clock: SessionClock
  ledger: Pick<Logins, 'endSession'> & Pick<AuditViews, 'isSessionEnded'>
}

const cookieName = '__Host-pawl'
const attributes = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

/** Makes the sessions of the pages: sealed cookies, valid for half an hour without a request and for twelve hours in all. */
export function createSessions({ key = randomBytes(32), clock, ledger }: SessionsDeps): Sessions {
  const derive = (label: string) => new Uint8Array(hkdfSync('sha256', key, '', label, 32))
  const [sessionKey, formKey, noteKey] = [derive('pawl session'), derive('pawl form'), derive('pawl login')]

  async function give(res: Response, session: Session): Promise<number> {
    const now = await clock.seconds()
    const exp = Math.min(now + idleSeconds, session.began + maxSeconds)
    const value = await new EncryptJWT({ session })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setIssuedAt(now)
      .setExpirationTime(exp)
      .encrypt(sessionKey)
    res.append('set-cookie', stringifySetCookie({ name: cookieName, value, ...attributes }))
    return clock.wallMs(exp)
  }

  const cookieOf = (req: Request) => parseCookie(req.get('cookie') ?? '')[cookieName]

  async function open(req: Request): Promise<z.infer<typeof Sealed> | undefined> {
    const value = cookieOf(req)
    const opened = value === undefined ? undefined : await unseal(value, sessionKey)
    const sealed = Sealed.safeParse(opened).data
    if (sealed === undefined) return undefined
    // Another process may have sealed it, by a clock that is ahead.
    clock.saw(sealed.iat)
    if (sealed.session.began + maxSeconds <= (await clock.seconds())) return undefined
    return (await ledger.isSessionEnded(sealed.session.id)) ? undefined : sealed
  }

  async function unseal(text: string, sealedWith: Uint8Array) {
    const currentDate = new Date((await clock.seconds()) * 1_000)
    try {
      return (await jwtDecrypt(text, sealedWith, { currentDate })).payload
    } catch {
      // Sealed with another key, altered or expired: ignored.
      return undefined
    }
  }

  return {
    async begin(res, who) {
      await give(res, { ...who, id: randomBytes(16).toString('base64url'), began: await clock.seconds() })
    },
    async read(req) {
      const sealed = await open(req)
      if (sealed === undefined) return undefined
      const isYoung = (await clock.seconds()) - sealed.iat < renewAfterSeconds
      return { session: sealed.session, endsAt: clock.wallMs(sealed.exp), isYoung }
    },
    isSent: (req) => cookieOf(req) !== undefined,
    renew: give,
    async end(req, res) {
      const sealed = await open(req)
      res.append('set-cookie', stringifySetCookie({ name: cookieName, value: '', maxAge: 0, ...attributes }))
      if (sealed === undefined) return
      const { id, began } = sealed.session
      await ledger.endSession({ id, until: began + maxSeconds }, actorOf(sealed.session))
    },
    formTokenOf: (of) => createHmac('sha256', formKey).update(of).digest('base64url'),
    sealNote: async (note) =>
      new EncryptJWT(note)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime((await clock.seconds()) + 600)
        .encrypt(noteKey),
    openNote: (sealed) => unseal(sealed, noteKey),
  }
}

/** The person of a session, for the trail. */
export function actorOf({ name, method, account }: Pick<Session, 'name' | 'method' | 'account'>): Actor {
  return { name, via: 'admin', auth: method, ...(account !== undefined && { account }) }
}
