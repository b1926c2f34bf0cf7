import express, { type Request, type RequestHandler, type Router } from 'express'
import type { VNode } from 'preact'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import { isOwnForm } from './access/same-origin.ts'
import { readActor } from './actor.ts'
import type { MenuAddress } from './pages/console-layout.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'
import { RequestRefused } from './serve.ts'

/** A form that a person sent from a page. */
export interface SentForm {
  /** Filled-in fields, without the token. */
  fields: Readonly<Record<string, unknown>>
  /** The `:id` of the path. */
  id: string
  actor: Actor
  req: Request
}

/** The page of a refusal: its entry in the menu, and its title. */
interface RefusalPage {
  at: MenuAddress
  refused: string
}

const readForm = express.urlencoded({ extended: false, limit: '32kb' })

const requireOwnForm: RequestHandler = (req, res, next) => {
  if (isOwnForm(req)) return next()
  const message = 'The form does not belong to your session: open the page again, then send it.'
  sendPage(res, <MessagePage title="Refused" message={message} />, 403)
}

/** Serves a form of the pages. `run` resolves with the address to redirect to, or with a page; a `RequestRefused` becomes a page. */
export function serveForm(
  router: Router,
  path: string,
  { at, refused }: RefusalPage,
  run: (form: SentForm) => Promise<string | VNode>,
): void {
  router.post(path, readForm, requireOwnForm, async (req, res) => {
    // A parsed form; `requireOwnForm` checked that it exists.
    const { token: _token, ...given } = req.body as Record<string, unknown>
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
    try {
      const answer = await run({ fields, id: String(req.params.id), actor: readActor(req), req })
      if (typeof answer === 'string') res.redirect(303, answer)
      else sendPage(res, answer)
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      sendPage(res, <MessagePage title={refused} at={at} message={error.message} />, error.status)
    }
  })
}
