import express, { type Request, Router } from 'express'
import { SealBroken } from '@pawl/ledger/sealing/seal'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { Revealed } from '@pawl/ledger/audit/reveal'
import type { Log } from '@pawl/base/log'
import { isOwnForm } from './access/same-origin.ts'
import { readActor } from './actor.ts'
import { contract } from './contract/contract.ts'
import { errorStatuses } from './contract/route.ts'
import { MessagePage } from './pages/message.tsx'
import { RevealedPage } from './pages/reveal.tsx'
import { sendPage } from './render.tsx'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import { refusal, serve } from './serve.ts'

export interface RevealRoutesDeps {
  ledger: Pick<AuditTrail, 'reveal'>
  log: Log
}

const refusals = {
  unknown: 'No resource of this id is known here.',
  nothing: 'No snapshot is stored: it was not read yet, or deleted after RETENTION_DAYS.',
  sealed:
    'The snapshot cannot be opened: SEALING_KEYS lacks its key, or the database was altered. "pawl ledger check" tells which.',
} as const

/** Routes that show the content of a resource, as JSON and as a page, for a reason that the audit trail records first. */
export function createRevealRoutes({ ledger, log }: RevealRoutesDeps): Router {
  async function reveal(id: string, act: Act & { reason: string }): Promise<Revealed | keyof typeof refusals> {
    try {
      const revealed = await ledger.reveal(id, act)
      if (typeof revealed !== 'string') log.info({ resource_id: revealed.id }, 'the content of a resource was shown')
      return revealed
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      return 'sealed'
    }
  }

  const router = Router()
  router.post([contract.reveal.path, '/resources/:id/reveal'], (_req, res, next) => {
    res.set('cache-control', 'no-store')
    next()
  })
  serve(router, contract.reveal, async ({ id, body: { reason }, actor }) => {
    const revealed = await reveal(id, { actor, reason })
    if (typeof revealed === 'string') throw refusal(revealed, refusals[revealed])
    return revealed
  })
  router.post(
    '/resources/:id/reveal',
    express.urlencoded({ extended: false, limit: '8kb' }),
    async (req: Request<{ id: string }>, res) => {
      const refuse = (status: number, message: string) =>
        sendPage(res, <MessagePage title="Nothing was shown" at="/resources" message={message} />, status)
      if (!isOwnForm(req))
        return refuse(403, 'The form does not belong to your session: open the page again, then send it.')
      const asked = contract.reveal.body.safeParse(req.body).data
      if (asked === undefined) return refuse(400, contract.reveal.invalid)
      const revealed = await reveal(req.params.id, { actor: readActor(req), reason: asked.reason })
      if (typeof revealed === 'string') return refuse(errorStatuses[revealed], refusals[revealed])
      sendPage(res, <RevealedPage revealed={revealed} />)
    },
  )
  return router
}
