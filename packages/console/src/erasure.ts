import type { Log } from '@pawl/base/log'
import type { ErasureSteps } from './contract/erase-patient.ts'
import { refusal } from './serve.ts'
import { inWork, whileInWork } from './while-in-work.ts'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { PatientErasure } from '@pawl/ledger/upkeep/create-patient-erasure'
import type { Upkeep } from '@pawl/ledger/upkeep/create-upkeep'
import type { CountViews } from '@pawl/ledger/views/counts'

export interface ErasureDeps {
  ledger: Pick<CountViews, 'counts'> & PatientErasure & Pick<Upkeep, 'wipe'>
  log: Log
}

/** The steps of erasing the patient with this number, for the API and the pages. They throw `RequestRefused`. */
export type Erasing = (patient: string, act: Act) => ErasureSteps

export function createErasing({ ledger, log }: ErasureDeps): Erasing {
  return (patient, act) => ({
    async find(cursor) {
      const step = await ledger.findPatient({ value: patient, cursor }, act)
      return { ...step, total: (await ledger.counts()).resources }
    },
    async erase(part) {
      if ('events' in part) return { bodies: await ledger.eraseEvents(part.events, patient, act) }
      const { resource_id: resourceId } = part
      const erased = await whileInWork(() => ledger.erase(resourceId, patient, act))
      if (erased === 'in_work') throw refusal('in_work', inWork)
      if (erased === 'unknown') throw refusal('unknown_resource', 'The ledger knows no such resource.')
      log.info({ resource_id: resourceId }, 'contents of a resource erased')
      return erased
    },
    wipe: async () => (await ledger.wipe()) === 'wiped',
  })
}
