import express, { type Request, Router } from 'express'
import { z } from 'zod'
import type { AddressRanges } from '@pawl/base/net/address-ranges'
import { readSender } from '@pawl/base/net/sender-address'
import { LoginPage } from '../pages/login.tsx'
import { MessagePage } from '../pages/message.tsx'
import { sendPage } from '../render.tsx'
import type { Credentials } from './credentials.ts'
import type { GroupedNotes } from '@pawl/ledger/audit/grouped-notes'
import { readOrigin, sayWait } from '@pawl/base/net/login-limits'
import { ownPath } from './own-path.ts'
import { isOwnForm } from './same-origin.ts'
import { actorOf, type Sessions } from './session.ts'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'

export interface LoginRoutesDeps {
  credentials: Credentials
  sessions: Sessions
  /** Whether an identity provider is configured. */
  hasProvider: boolean
  trustedProxies: AddressRanges
  notes: GroupedNotes
  audit: AuditTrail['audit']
}

const Form = z.object({ name: z.string().trim().min(1).max(120), password: z.string().min(1).max(1_000) })

/** GET and POST /login, for people with a name and a password, and POST /logout. */
export function createLoginRoutes(deps: LoginRoutesDeps): Router {
  const { credentials, sessions, hasProvider, trustedProxies, notes, audit } = deps
  const router = Router()
  const readForm = express.urlencoded({ extended: false, limit: '8kb' })
  const pageFor = (to: unknown, message?: string, hasEnded = false) => (
    <LoginPage
      hasEnded={hasEnded}
      to={ownPath(to)}
      takesPasswords={credentials.areTaken}
      hasProvider={hasProvider}
      {...(message !== undefined && { message })}
    />
  )

  router.get('/login', (req, res) => {
    if (req.access?.person !== undefined) res.redirect(303, ownPath(req.query.to))
    else sendPage(res, pageFor(req.query.to, undefined, sessions.isSent(req)))
  })

  router.post('/login', readForm, async (req, res) => {
    const to = ownPath(fieldOf(req, 'to'))
    const given = Form.safeParse(req.body).data
    if (given === undefined || !isOwnForm(req)) {
      sendPage(res, pageFor(to, 'The form could not be read: try again.'), 400)
      return
    }
    const address = readSender(req, trustedProxies) ?? ''
    const verdict = await credentials.check(given, readOrigin(req, trustedProxies))
    if ('retryAfterSeconds' in verdict) {
      res.set('retry-after', String(verdict.retryAfterSeconds))
      sendPage(res, pageFor(to, sayWait(verdict.retryAfterSeconds)), 429)
    } else if ('wrong' in verdict) {
      notes.refusedLogin({ name: verdict.knownName, address, by: 'form' })
      sendPage(res, pageFor(to, 'The name or the password is wrong.'), 401)
    } else {
      const proven = { ...verdict.proven, name: toWord(verdict.proven.name) }
      await audit({ actor: actorOf(proven), action: 'person.login', details: { address, roles: proven.roles } })
      await sessions.begin(res, proven)
      res.redirect(303, to)
    }
  })

  router.post('/logout', readForm, async (req, res) => {
    if (!isOwnForm(req)) {
      sendPage(res, <MessagePage title="Refused" message="The form does not belong to your session." />, 403)
      return
    }
    await sessions.end(req, res)
    res.redirect(303, '/login')
  })
  return router
}

function fieldOf(req: Request, name: string): unknown {
  // Form bodies arrive as parsed objects.
  return (req.body as Record<string, unknown> | undefined)?.[name]
}

/** The name for the trail: with the shared password, a name is unverified input. */
function toWord(name: string): string {
  return name.replaceAll(/[^\x21-\x7e]/g, '?')
}
