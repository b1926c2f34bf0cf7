import { Router } from 'express'
import type { Log } from '../base/log.ts'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'
import { inWork, whileInWork } from './while-in-work.ts'
import type { PatientErasure } from '../ledger/upkeep/create-patient-erasure.ts'
import type { Upkeep } from '../ledger/upkeep/create-upkeep.ts'
import type { CountViews } from '../ledger/views/counts.ts'

export interface ErasureDeps {
  ledger: Pick<CountViews, 'counts'> & PatientErasure & Pick<Upkeep, 'wipe'>
  log: Log
}

/** The short steps of erasing a patient. The patient's number is sent only in bodies, and never returned. */
export function createErasure({ ledger, log }: ErasureDeps): Router {
  const router = Router()
  serve(router, contract.findPatient, async ({ body: { internal_id: value, cursor, reason }, actor }) => {
    const step = await ledger.findPatient({ value, cursor }, { actor, reason })
    return { ...step, total: (await ledger.counts()).resources }
  })
  serve(router, contract.erasePatient, async ({ body, actor }) => {
    const { internal_id: patient, reason } = body
    const act = { actor, reason }
    if ('events' in body) return { bodies: await ledger.eraseEvents(body.events, patient, act) }
    const { resource_id: resourceId } = body
    const erased = await whileInWork(() => ledger.erase(resourceId, patient, act))
    if (erased === 'in_work') throw refusal('in_work', inWork)
    if (erased === 'unknown') throw refusal('unknown_resource', 'The ledger knows no such resource.')
    log.info({ resource_id: resourceId }, 'contents of a resource erased')
    return erased
  })
  serve(router, contract.wipe, async () => ({ isWiped: (await ledger.wipe()) === 'wiped' }))
  return router
}
