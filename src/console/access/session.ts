import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import { z } from 'zod'
import { roleNames } from '../../base/roles.ts'

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
  /** Extends it; resolves with its new end. */
  renew(this: void, res: Response, session: Session): Promise<number>
  /** Ends the session: deletes the cookie and revokes it. */
  end(this: void, req: Request, res: Response): Promise<Session | undefined>
  /** Form token of one session, or of one person without a session. */
  formTokenOf(this: void, of: string): string
  /** Seals short-lived data carried by the browser, for ten minutes. */
  sealNote(this: void, note: Record<string, string>): Promise<string>
  openNote(this: void, sealed: string): Promise<Record<string, unknown> | undefined>
}

export interface SessionsDeps {
  /** Shared by the processes of one set-up; absent: sessions end with the process. */
  key: Uint8Array | undefined
  now?: () => number
}

const cookieName = '__Host-pawl'
const attributes = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

/** Makes the sessions of the pages: sealed cookies, valid for half an hour without a request and for twelve hours in all. */
export function createSessions({ key = randomBytes(32), now = Date.now }: SessionsDeps): Sessions {
  const derive = (label: string) => new Uint8Array(hkdfSync('sha256', key, '', label, 32))
  const [sessionKey, formKey, noteKey] = [derive('pawl session'), derive('pawl form'), derive('pawl login')]
  /** Revoked sessions until they expire, so that a copied cookie is useless. */
  const ended = new Map<string, number>()
  const seconds = () => Math.floor(now() / 1_000)

  async function give(res: Response, session: Session): Promise<number> {
    const exp = Math.min(seconds() + idleSeconds, session.began + maxSeconds)
    const value = await new EncryptJWT({ session })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setIssuedAt(seconds())
      .setExpirationTime(exp)
      .encrypt(sessionKey)
    res.append('set-cookie', stringifySetCookie({ name: cookieName, value, ...attributes }))
    return exp * 1_000
  }

  async function open(req: Request): Promise<z.infer<typeof Sealed> | undefined> {
    const value = parseCookie(req.get('cookie') ?? '')[cookieName]
    const opened = value === undefined ? undefined : await unseal(value, sessionKey)
    const sealed = Sealed.safeParse(opened).data
    if (sealed === undefined || ended.has(sealed.session.id)) return undefined
    return sealed.session.began + maxSeconds > seconds() ? sealed : undefined
  }

  async function unseal(text: string, sealedWith: Uint8Array) {
    try {
      return (await jwtDecrypt(text, sealedWith, { currentDate: new Date(now()) })).payload
    } catch {
      // Sealed with another key, altered or expired: ignored.
      return undefined
    }
  }

  return {
    async begin(res, who) {
      await give(res, { ...who, id: randomBytes(16).toString('base64url'), began: seconds() })
    },
    async read(req) {
      const sealed = await open(req)
      if (sealed === undefined) return undefined
      const isYoung = seconds() - sealed.iat < renewAfterSeconds
      return { session: sealed.session, endsAt: sealed.exp * 1_000, isYoung }
    },
    renew: give,
    async end(req, res) {
      const sealed = await open(req)
      res.append('set-cookie', stringifySetCookie({ name: cookieName, value: '', maxAge: 0, ...attributes }))
      if (sealed === undefined) return undefined
      for (const [id, until] of ended) if (until <= seconds()) ended.delete(id)
      ended.set(sealed.session.id, sealed.session.began + maxSeconds)
      return sealed.session
    },
    formTokenOf: (of) => createHmac('sha256', formKey).update(of).digest('base64url'),
    sealNote: (note) =>
      new EncryptJWT(note)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(seconds() + 600)
        .encrypt(noteKey),
    openNote: (sealed) => unseal(sealed, noteKey),
  }
}
