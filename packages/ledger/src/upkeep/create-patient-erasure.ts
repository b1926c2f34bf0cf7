import { readLastErasure } from '../audit/read-audit.ts'
import type { Core } from '../core.ts'
import { nameOf } from '../projections/lookups.ts'
import { catchUp } from '../projections/project.ts'
import { eraseBodies, eraseResource, type Erased } from './erase.ts'
import { findPatient, type PatientStep } from './find-patient.ts'
import { namePatient } from './name-patient.ts'
import type { Act } from '../audit/audit-entry.ts'

/** Finds and removes the data of one patient. */
export interface PatientErasure {
  /** One small step of the search for a patient's data by `internal_id`; the first is recorded in the audit trail, without that number. */
  findPatient(patient: { value: string; cursor?: string | undefined }, act: Act): Promise<PatientStep>
  /** Removes the patient data of one resource, and records it in the audit trail; `in_work`: try again in a moment. */
  erase(resourceId: string, patient: string, act: Act): Promise<Erased | 'in_work' | 'unknown'>
  /** Empties bodies of events without a resource, recorded likewise; resolves with their number. */
  eraseEvents(eventIds: readonly number[], patient: string, act: Act): Promise<number>
}

export function createPatientErasure(core: Core): PatientErasure {
  const { db, commits, writeTo, trail, seal, documents } = core
  return {
    async findPatient({ value, cursor }, { actor, reason }) {
      const find = () => findPatient(db, { value, cursor }, { documents, seal })
      if (cursor !== undefined) return find()
      // The search reads the one, the erasure removes and counts both.
      await catchUp(core, ['lookups', 'outcomes'])
      const name = nameOf({ field: 'internal_id', value })
      // Entries from before a rotation carry digests of older keys. The last digest, which has no key, is left out.
      const earlier = seal.digests(name).slice(1, -1)
      const details = { ...namePatient(seal, value), ...(earlier.length > 0 && { earlier }) }
      const erasedAgoMs = await commits.write(async (trx, now) => {
        await trail.append(trx, now, [{ actor, action: 'patient.find', reason, details }])
        if (seal.sign('') === undefined) return undefined
        const at = await readLastErasure(trx, seal.digests(name))
        return at === undefined ? null : Math.max(0, now - at)
      })
      return { ...(await find()), erasedAgoMs }
    },
    erase: (resourceId, patient, { actor, reason }) =>
      writeTo(resourceId, async (trx, now) => {
        const erased = await eraseResource(trx, resourceId, now)
        if (typeof erased === 'string') return erased
        const details = { ...namePatient(seal, patient), ...erased.removed, dropped: erased.dropped }
        await trail.append(trx, now, [{ actor, action: 'patient.erase', resourceId, reason, details }])
        return erased
      }),
    eraseEvents: (eventIds, patient, { actor, reason }) =>
      commits.write(async (trx, now) => {
        const bodies = await eraseBodies(trx, eventIds)
        const details = { ...namePatient(seal, patient), bodies, events: eventIds.map(String) }
        await trail.append(trx, now, [{ actor, action: 'patient.erase', reason, details }])
        return bodies
      }),
  }
}
