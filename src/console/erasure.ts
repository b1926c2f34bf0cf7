import { Router } from 'express'
import { z } from 'zod'
import type { Log } from '../base/log.ts'
import { readActor } from './actor.ts'
import { Reason } from './reason.ts'
import { inWork, whileInWork } from './while-in-work.ts'
import type { PatientErasure } from '../ledger/upkeep/create-patient-erasure.ts'
import type { Upkeep } from '../ledger/upkeep/create-upkeep.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface ErasureDeps {
  ledger: Pick<Views, 'counts'> & PatientErasure & Pick<Upkeep, 'wipe'>
  log: Log
}

const internalId = z.string().trim().min(1).max(200)
const Sought = z.strictObject({ internal_id: internalId, cursor: z.string().max(300).optional(), reason: Reason })
const Asked = z.union([
  z.strictObject({ internal_id: internalId, reason: Reason, resource_id: z.string().min(1) }),
  z.strictObject({ internal_id: internalId, reason: Reason, events: z.array(z.number().int()).min(1).max(1_000) }),
])

/**
 * The steps of erasing a patient, each short: POST /api/patients/find, part by part, what the ledger holds of him; POST /api/patients/erase, one resource
 * or a few events of none; POST /api/patients/wipe, what was deleted out of the files as well. His number stands in bodies alone, and is not repeated.
 */
export function createErasure({ ledger, log }: ErasureDeps): Router {
  const router = Router()
  router.post('/api/patients/find', async (req, res) => {
    const sought = Sought.safeParse(req.body)
    if (!sought.success) {
      const message = 'Send a JSON object with internal_id, reason, a text of 3 to 500 characters, and perhaps cursor.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { internal_id: value, cursor, reason } = sought.data
    const step = await ledger.findPatient({ value, cursor }, { actor: readActor(req), reason })
    res.json({ ...step, total: (await ledger.counts()).resources })
  })
  router.post('/api/patients/erase', async (req, res) => {
    const asked = Asked.safeParse(req.body)
    if (!asked.success) {
      const message = 'Send a JSON object with internal_id, reason, and resource_id or events, the ids of some.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { internal_id: patient, reason } = asked.data
    const act = { actor: readActor(req), reason }
    if ('events' in asked.data) {
      res.json({ bodies: await ledger.eraseEvents(asked.data.events, patient, act) })
      return
    }
    const { resource_id: resourceId } = asked.data
    const erased = await whileInWork(() => ledger.erase(resourceId, patient, act))
    if (erased === 'in_work') {
      res.status(409).json({ error: inWork })
      return
    }
    if (erased === 'unknown') {
      res.status(404).json({ error: { code: 'unknown_resource', message: 'The ledger knows no such resource.' } })
      return
    }
    log.info({ resource_id: resourceId }, 'contents of a resource erased')
    res.json(erased)
  })
  router.post('/api/patients/wipe', async (_req, res) => {
    res.json({ isWiped: (await ledger.wipe()) === 'wiped' })
  })
  return router
}
