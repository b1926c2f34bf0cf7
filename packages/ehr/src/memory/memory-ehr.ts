import { type Clock, systemClock } from '@pawl/base/clock'
import type { Patient } from 'pawl-client/schemas/people'
import type { System } from '@pawl/connector/system'
import type { Ehr } from '../ehr.ts'
import type { ChartClient } from '../fhir/chart-client.ts'
import { searchToken } from '../fhir/search-token.ts'
import type { StoredResource } from '../fhir/stored-resource.ts'
import { amendFault } from '../fhir/amend.ts'
import { createChartStore } from '../fhir/chart-store.ts'
import type { StoredByType, StoredType } from '../fhir/chart-types.ts'
import { createMappedEhr } from '../fhir/mapped-ehr.ts'
import { createPdfWriter } from '../narrative/pdf-writer.ts'
import { createOneAtATime } from '@pawl/connector/one-at-a-time'
import { createPlans } from '../fhir/plans.ts'
import { defaultDocuments } from '../fhir/settings.ts'
import type { ShapeResource } from '../fhir/apply-shape.ts'

export interface MemoryEhr extends System<Ehr> {
  /** Its resources of one FHIR type, oldest first. */
  resources<T extends StoredType>(type: T): StoredByType[T][]
  /** Number of creates and updates so far. */
  readonly writes: number
}

/** The chart in memory, for tests and for running without an EHR. It acts as a FHIR server that takes all types and knows all patients by `internal_id`. */
export function createMemoryEhr(
  options: { identifierBase?: string; shape?: ShapeResource | undefined; clock?: Clock } = {},
): MemoryEhr {
  const { identifierBase = 'https://pawl.example/identifiers', shape, clock = systemClock } = options
  const held = new Map<string, StoredResource>()
  /** Ids by search key: a scan of all resources for each write would take ever longer. */
  const byIdentifier = new Map<string, Set<string>>()
  let writes = 0

  function keep(resource: object, id: string) {
    writes += 1
    const version = String(Number(held.get(id)?.meta?.versionId ?? 0) + 1)
    // The compiler cannot see that every FHIR resource names its type.
    const stored = { ...(resource as StoredResource), id, meta: { versionId: version } }
    for (const key of keysOf(held.get(id))) byIdentifier.get(key)?.delete(id)
    for (const key of keysOf(stored)) byIdentifier.set(key, (byIdentifier.get(key) ?? new Set()).add(id))
    held.set(id, stored)
    return { id, version }
  }
  const find = (type: string, token: string) =>
    [...(byIdentifier.get(`${type} ${token}`) ?? [])].flatMap((id) => held.get(id) ?? [])

  const client: ChartClient = {
    metadata: () => Promise.resolve(undefined),
    async read(_type, id) {
      return held.get(id)
    },
    async search(type, { identifier }) {
      if (identifier !== undefined) return find(type, identifier)
      return [...held.values()].filter(({ resourceType }) => resourceType === type)
    },
    async create(_type, resource) {
      return keep(resource, String(held.size + 1))
    },
    async conditionalUpdate(type, identifier, resource) {
      return keep(resource, find(type, searchToken(identifier))[0]?.id ?? String(held.size + 1))
    },
    async remove(_type, id) {
      held.delete(id)
    },
    readAttachment: () => Promise.resolve(undefined),
    idOf: () => undefined,
    async update(_type, id, _version, resource) {
      return keep(resource, id)
    },
    patch: () => Promise.reject(new TypeError('The chart in memory takes no patches.')),
  }

  const oneAtATime = createOneAtATime()
  const plans = createPlans({ load: () => Promise.resolve(undefined), overrides: {}, clock })
  const pdfs = createPdfWriter()
  return {
    open: (run) =>
      createMappedEhr({
        options: {
          identifierBase,
          shape,
          clock,
          documents: defaultDocuments,
          filing: {},
          hasReviewActionCodes: true,
          writePdf: pdfs.write,
        },
        store: createChartStore({ client, plans, assertPatient: async () => {}, run }),
        plans,
        async findPatient(patient: Patient | undefined) {
          const id = (patient?.internal_id ?? 'unknown').replace(/[^A-Za-z0-9.-]/g, '-').slice(0, 64)
          return { id, reference: { reference: `Patient/${id}`, type: 'Patient' } }
        },
        oneAtATime,
        run,
      }),
    amendFault,
    close: pdfs.close,
    resources<T extends StoredType>(type: T) {
      const ofType: unknown[] = [...held.values()].filter(({ resourceType }) => resourceType === type)
      // The compiler cannot see that the filter checked the type.
      return ofType as StoredByType[T][]
    },
    get writes() {
      return writes
    },
  }
}

/** The keys under which a search by identifier finds the resource. */
function keysOf(resource: StoredResource | undefined): string[] {
  if (resource === undefined) return []
  const { resourceType, identifier = [] } = resource
  return identifier.flatMap(({ system, value }) =>
    system === undefined || value === undefined ? [] : `${resourceType} ${searchToken({ system, value })}`,
  )
}
