import express, { type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { SealBroken } from '../ledger/sealing/seal.ts'
import type { Log } from '../base/log.ts'
import { isOwnForm } from './access/same-origin.ts'
import { readActor } from './actor.ts'
import { MessagePage } from './pages/message.tsx'
import { RevealedPage } from './pages/reveal.tsx'
import { maxReason, minReason, Reason } from './reason.ts'
import { sendPage } from './render.tsx'
import type { Revealed } from '../ledger/audit/reveal.ts'
import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'

export interface RevealRoutesDeps {
  ledger: Pick<AuditTrail, 'reveal'>
  log: Log
}

const Asked = z.object({ reason: Reason })

const refusals = {
  no_reason: { status: 400, message: `Say why: a reason of ${minReason} to ${maxReason} characters.` },
  not_own: { status: 403, message: 'The form is not of your session: open the page again, then send it.' },
  unknown: { status: 404, message: 'No resource of this id is known here.' },
  nothing: { status: 404, message: 'Nothing is stored of it: it was not read yet, or deleted after RETENTION_DAYS.' },
  sealed: {
    status: 503,
    message:
      'It cannot be opened: SEALING_KEYS lacks its key, or the database was altered. "pawl ledger check" says which.',
  },
} as const

/** POST /api/resources/:id/reveal and the page of it: what is stored of a resource, for a reason, which is written into the audit trail first. */
export function createRevealRoutes({ ledger, log }: RevealRoutesDeps): Router {
  const answer =
    (
      send: (res: Response, revealed: Revealed) => void,
      refuse: (res: Response, why: keyof typeof refusals) => void,
      isOwn: (req: express.Request) => boolean = () => true,
    ): RequestHandler =>
    async (req, res) => {
      res.set('cache-control', 'no-store')
      if (!isOwn(req)) return refuse(res, 'not_own')
      const asked = Asked.safeParse(req.body).data
      if (asked === undefined) return refuse(res, 'no_reason')
      // A parameter of the path is one string.
      const id = String(req.params.id)
      try {
        const revealed = await ledger.reveal(id, { actor: readActor(req), reason: asked.reason })
        if (typeof revealed === 'string') return refuse(res, revealed)
        log.info({ resource_id: revealed.id }, 'the content of a resource was shown')
        send(res, revealed)
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error
        refuse(res, 'sealed')
      }
    }

  const router = Router()
  router.post(
    '/api/resources/:id/reveal',
    answer(
      (res, revealed) => res.json(revealed),
      (res, why) => res.status(refusals[why].status).json({ error: { code: why, message: refusals[why].message } }),
    ),
  )
  router.post(
    '/resources/:id/reveal',
    express.urlencoded({ extended: false, limit: '8kb' }),
    answer(
      (res, revealed) => sendPage(res, <RevealedPage revealed={revealed} />),
      (res, why) => {
        const { status, message } = refusals[why]
        sendPage(res, <MessagePage title="Nothing was shown" at="/resources" message={message} />, status)
      },
      isOwnForm,
    ),
  )
  return router
}
