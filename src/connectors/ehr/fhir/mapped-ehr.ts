import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../clock.ts'
import type { RunContext } from '../../../systems/system.ts'
import type { Ehr, Subject } from '../ehr.ts'
import { toClaimResponse } from './mapping/claim-response.ts'
import { toCommunication } from './mapping/communication.ts'
import { toCoverageEligibilityResponse } from './mapping/coverage-eligibility-response.ts'
import type { MappingContext } from './mapping/context.ts'
import { coverageIdentifier, toCoverage } from './mapping/coverage.ts'
import type { OneAtATime } from './one-at-a-time.ts'
import { identifierOf, type IdentifierKind, referenceTo } from './mapping/references.ts'
import { toEndedStaffTask, toStaffTask } from './mapping/staff-task.ts'
import type { FhirStore, StoredByType, StoredType } from './store.ts'
import { toTask } from './mapping/task.ts'
import { toTransferTask } from './mapping/transfer-task.ts'

export interface MappedEhrDeps {
  store: FhirStore
  /** Base of the identifier systems, with or without a slash at its end. */
  identifierBase: string
  clock: Clock
  /** Shared by all runs of this process. */
  oneAtATime: OneAtATime
  run: Pick<RunContext, 'wrote'>
}

/** The chart as FHIR resources in any store. What is there already as it should be is not written again. */
export function createMappedEhr({ store, identifierBase, clock, oneAtATime, run }: MappedEhrDeps): Ehr {
  const base = identifierBase.replace(/\/+$/, '')
  const contextFor = ({ patient }: Pick<Subject, 'patient'>): MappingContext => ({
    base,
    patient:
      patient?.internal_id === undefined
        ? { type: 'Patient', display: 'Not stated' }
        : referenceTo('Patient', { system: `${base}/patient`, value: patient.internal_id }),
    now: new Date(clock.now()).toISOString(),
    hasReviewActionCodes: true,
    documents: { formats: ['text/plain'], author: { display: 'pawl' } },
  })

  /** Brings one resource to what `map` makes of the one that the store holds; where it makes nothing, nothing is written. */
  function upsert<T extends StoredType>(
    target: { type: T; kind: IdentifierKind; value: string; resourceId?: string },
    map: (previous: StoredByType[T] | undefined) => StoredByType[T] | undefined,
  ): Promise<void> {
    const { type, kind, value, resourceId = value } = target
    const place = { type, identifier: identifierOf(base, kind, value), resourceId }
    return oneAtATime(`${type} ${place.identifier.system}|${value}`, async () => {
      const found = await store.find(place)
      const previous = found && contentOf(found)
      const mapped = map(previous)
      const wanted = mapped && contentOf(mapped)
      if (wanted === undefined || (previous && isDeepStrictEqual(undated(wanted), undated(previous)))) return
      run.wrote({ type, ...(await store.put(place, wanted, found)) })
    })
  }

  return {
    putPriorAuthorization(pa) {
      const target = { kind: 'prior-authorization', value: pa.id } as const
      return writeAll([
        () => upsert({ ...target, type: 'Task' }, (previous) => toTask(contextFor(pa), pa, previous)),
        () => upsert({ ...target, type: 'ClaimResponse' }, (previous) => toClaimResponse(contextFor(pa), pa, previous)),
      ])
    },
    putMessage(pa, message) {
      // A message's id is unique within its PA only.
      const value = `${pa.id}/${message.id}`
      const target = { kind: 'prior-authorization-message', value, resourceId: pa.id } as const
      return upsert({ ...target, type: 'Communication' }, () => toCommunication(contextFor(pa), pa, message))
    },
    putBenefitVerification(bv) {
      const target = { kind: 'benefit-verification', value: bv.id } as const
      return writeAll([
        async () => {
          const value = coverageIdentifier(base, bv)?.value
          if (value === undefined) return
          const place = { type: 'Coverage', kind: 'coverage', value, resourceId: bv.id } as const
          await upsert(place, (previous) => toCoverage(contextFor(bv), bv, previous))
        },
        () =>
          upsert({ ...target, type: 'CoverageEligibilityResponse' }, (previous) =>
            toCoverageEligibilityResponse(contextFor(bv), bv, previous),
          ),
      ])
    },
    async putPrescriptionTransfer(pa) {
      if (pa.prescription_transfer === undefined) return
      const target = { kind: 'prescription-transfer', value: pa.id } as const
      await upsert({ ...target, type: 'Task' }, () => toTransferTask(contextFor(pa), pa))
    },
    openStaffTask(pa, reason) {
      const target = { kind: 'prior-authorization-staff-task', value: pa.id } as const
      return upsert({ ...target, type: 'Task' }, (previous) =>
        toStaffTask(contextFor(pa), pa, { title: reason, reason }, previous),
      )
    },
    closeStaffTask(pa) {
      const target = { kind: 'prior-authorization-staff-task', value: pa.id } as const
      return upsert({ ...target, type: 'Task' }, (previous) => previous && toEndedStaffTask(previous, 'completed'))
    },
  }
}

/** Tries every write, in order, so that a type which is refused keeps no other from the chart; then throws the first failure. */
async function writeAll(writes: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const write of writes) await write().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** A resource as JSON carries it, without what the server adds: its id, versions and narrative. */
function contentOf<T extends StoredByType[StoredType]>(resource: T): T {
  const { id: _id, meta: _meta, text: _text, ...content } = resource
  // The compiler cannot see that JSON keeps a FHIR resource as it is, and that the three left out are optional in all of them.
  return JSON.parse(JSON.stringify(content)) as T
}

/** A resource without the times at which it was written, which alone are no reason to write it again. */
function undated(resource: object): object {
  return { ...resource, created: undefined, authoredOn: undefined, lastModified: undefined }
}
