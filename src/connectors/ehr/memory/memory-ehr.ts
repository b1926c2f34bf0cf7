import { type Clock, systemClock } from '../../../clock.ts'
import type { Patient } from '../../../resources/shared.ts'
import type { System } from '../../../systems/system.ts'
import type { Ehr } from '../ehr.ts'
import type { ChartClient, StoredResource } from '../fhir/chart-client.ts'
import { createChartStore } from '../fhir/chart-store.ts'
import type { StoredByType, StoredType } from '../fhir/chart-types.ts'
import { createMappedEhr } from '../fhir/mapped-ehr.ts'
import type { NamedIdentifier } from '../fhir/mapping/references.ts'
import { createOneAtATime } from '../fhir/one-at-a-time.ts'
import { createPlans } from '../fhir/plans.ts'
import { defaultDocuments } from '../fhir/fhir-settings.ts'
import { createRehearsalStore } from '../fhir/rehearsal-store.ts'

export interface MemoryEhr extends System<Ehr> {
  /** What it holds of one FHIR type, oldest first. */
  resources<T extends StoredType>(type: T): StoredByType[T][]
  /** How often something was created or changed. */
  readonly writes: number
}

/** The chart in memory, for tests and for running without an EHR: the same mapping and the same rules of upserting as on a FHIR server that takes everything, where every patient is known by `internal_id`. */
export function createMemoryEhr(options: { identifierBase?: string; clock?: Clock } = {}): MemoryEhr {
  const { identifierBase = 'https://pawl.example/identifiers', clock = systemClock } = options
  const held = new Map<string, StoredResource>()
  let writes = 0

  function keep(resource: object, id: string) {
    writes += 1
    const version = String(Number(held.get(id)?.meta?.versionId ?? 0) + 1)
    // The compiler cannot see that every FHIR resource names its type.
    held.set(id, { ...(resource as StoredResource), id, meta: { versionId: version } })
    return { id, version }
  }
  const find = (type: string, { system, value }: NamedIdentifier) =>
    [...held.values()].find(
      (each) =>
        each.resourceType === type &&
        each.identifier?.some((other) => other.system === system && other.value === value) === true,
    )

  const client: ChartClient = {
    metadata: () => Promise.resolve(undefined),
    async read(_type, id) {
      return held.get(id)
    },
    async search(type) {
      return [...held.values()].filter(({ resourceType }) => resourceType === type)
    },
    async create(_type, resource) {
      return keep(resource, String(held.size + 1))
    },
    async conditionalUpdate(type, identifier, resource) {
      return keep(resource, find(type, identifier)?.id ?? String(held.size + 1))
    },
    async update(_type, id, _version, resource) {
      return keep(resource, id)
    },
  }

  const oneAtATime = createOneAtATime()
  const plans = createPlans({ load: () => Promise.resolve(undefined), overrides: {}, clock })
  const shared = {
    options: { identifierBase, clock, documents: defaultDocuments, hasReviewActionCodes: true },
    plans,
    async resolvePatient(patient: Patient | undefined) {
      const id = (patient?.internal_id ?? 'unknown').replace(/[^A-Za-z0-9.-]/g, '-').slice(0, 64)
      return { id, reference: { reference: `Patient/${id}`, type: 'Patient' } }
    },
    oneAtATime,
  }
  return {
    open: (run) => createMappedEhr({ ...shared, store: createChartStore({ client, plans, run }), run }),
    rehearse: (run) => createMappedEhr({ ...shared, store: createRehearsalStore({ plans, run }), run }),
    resources<T extends StoredType>(type: T) {
      const ofType: unknown[] = [...held.values()].filter(({ resourceType }) => resourceType === type)
      // The compiler cannot see what the filter just made sure of.
      return ofType as StoredByType[T][]
    },
    get writes() {
      return writes
    },
  }
}
