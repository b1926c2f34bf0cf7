import { Router } from 'express'
import { z } from 'zod'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { readActor } from './actor.ts'
import { Reason } from './reason.ts'
import { inWork, whileInWork } from './while-in-work.ts'

export interface DiscardDeps {
  ledger: Pick<Ledger, 'discard'>
  enqueue: (resourceId: string) => void
  log: Log
}

const Asked = z.strictObject({ resource_id: z.string().min(1), handler: z.string().min(1), reason: Reason })

/** POST /api/parked/discard: has parked or failing work count as done, with a reason; 404 where there is none. */
export function createDiscard({ ledger, enqueue, log }: DiscardDeps): Router {
  const router = Router()
  router.post('/api/parked/discard', async (req, res) => {
    const asked = Asked.safeParse(req.body)
    if (!asked.success) {
      const message = 'Send a JSON object with resource_id, handler, and reason, a text of 3 to 500 characters.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { resource_id: resourceId, handler, reason } = asked.data
    const act = { actor: readActor(req), reason }
    const result = await whileInWork(() => ledger.discard({ resourceId, handler }, act))
    if (result === 'in_work') {
      res.status(409).json({ error: inWork })
      return
    }
    if (result === 'nothing') {
      const message = 'Nothing of that handler is parked or failing for that resource: `pawl parked` lists what is.'
      res.status(404).json({ error: { code: 'nothing_to_discard', message } })
      return
    }
    enqueue(resourceId)
    log.info({ resource_id: resourceId, handler }, 'work discarded')
    res.json({ discarded: true })
  })
  return router
}
