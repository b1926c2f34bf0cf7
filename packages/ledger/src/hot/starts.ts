import type { StartedKind } from 'pawl-client/schemas/request-draft'
import type { Act } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { namePatient } from '../upkeep/name-patient.ts'

/** One request from one prescription. */
export interface StartKey {
  /** The chart's own name of it, such as `MedicationRequest/123`. */
  prescription: string
  kind: StartedKind
}

/** A request that was begun; without `resourceId` the service may or may not have it. */
export interface Start {
  begunAt: number
  resourceId: string | undefined
}

/** Actor and patient of a request. */
export interface Begin extends Act {
  again: boolean
  /** The patient's `internal_id`; the trail gets its digest. */
  patient: string
  /** Whether the person stated that number, as the chart had none. */
  isNumberGiven: boolean
}

/** Records which prescriptions of a chart a request was started from. */
export interface Starts {
  /** The request started from this prescription, if any. */
  readStart(key: StartKey): Promise<Start | undefined>
  /** Records a start and its actor in one commit; resolves with an earlier start instead. `again` replaces an earlier one without a known answer. */
  beginStart(key: StartKey, begin: Begin): Promise<Start | undefined>
  /** Records the created resource. */
  endStart(key: StartKey, resourceId: string): Promise<void>
  /** Deletes the start: the request was certainly not accepted. */
  forgetStart(key: StartKey): Promise<void>
}

export function createStarts({ db, commits, trail, seal }: Core): Starts {
  const startOf = (row: { begun_at: number; resource_id: string | null } | undefined) =>
    row && { begunAt: row.begun_at, resourceId: row.resource_id ?? undefined }

  return {
    async readStart({ prescription, kind }) {
      const row = await db
        .selectFrom('starts')
        .select(['begun_at', 'resource_id'])
        .where('prescription', '=', prescription)
        .where('kind', '=', kind)
        .executeTakeFirst()
      return startOf(row)
    },
    beginStart: ({ prescription, kind }, { again, patient, isNumberGiven, ...act }) =>
      commits.write(async (trx, now) => {
        if (again)
          await trx
            .deleteFrom('starts')
            .where('prescription', '=', prescription)
            .where('kind', '=', kind)
            .where('resource_id', 'is', null)
            .execute()
        const begun = await trx
          .insertInto('starts')
          .values({ prescription, kind, begun_at: now, resource_id: null })
          .onConflict((conflict) => conflict.doNothing())
          .returning('begun_at')
          .executeTakeFirst()
        if (begun === undefined)
          return startOf(
            await trx
              .selectFrom('starts')
              .select(['begun_at', 'resource_id'])
              .where('prescription', '=', prescription)
              .where('kind', '=', kind)
              .executeTakeFirst(),
          )
        const gave = isNumberGiven ? { number: 'given' } : {}
        const details = { kind, prescription, again, ...gave, ...namePatient(seal, patient) }
        await trail.append(trx, now, [{ ...act, action: 'request.start', details }])
        return undefined
      }),
    endStart: ({ prescription, kind }, resourceId) =>
      commits.write(async (trx) => {
        await trx
          .updateTable('starts')
          .set({ resource_id: resourceId })
          .where('prescription', '=', prescription)
          .where('kind', '=', kind)
          .execute()
      }),
    forgetStart: ({ prescription, kind }) =>
      commits.write(async (trx) => {
        await trx
          .deleteFrom('starts')
          .where('prescription', '=', prescription)
          .where('kind', '=', kind)
          .where('resource_id', 'is', null)
          .execute()
      }),
  }
}
