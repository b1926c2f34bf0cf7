import { systemClock } from '../../src/clock.ts'
import type { Ehr } from '../../src/connectors/ehr/ehr.ts'
import { type ChartClient, searchToken, type StoredResource } from '../../src/connectors/ehr/fhir/chart-client.ts'
import { createChartStore } from '../../src/connectors/ehr/fhir/chart-store.ts'
import { defaultDocuments } from '../../src/connectors/ehr/fhir/fhir-settings.ts'
import { createMappedEhr } from '../../src/connectors/ehr/fhir/mapped-ehr.ts'
import { createOneAtATime } from '../../src/connectors/ehr/fhir/one-at-a-time.ts'
import { createPlans } from '../../src/connectors/ehr/fhir/plans.ts'
import type { System } from '../../src/systems/system.ts'

/** A chart in memory. */
export interface IndexedChart {
  ehr: System<Ehr>
  /** How often something was created or changed. */
  writes(): number
}

/** The chart as a FHIR server would keep it: it finds a resource by id and by identifier at once, however many it holds. The mapping and the rules of upserting are pawl's own. */
export function createIndexedChart(): IndexedChart {
  const held = new Map<string, StoredResource>()
  const byIdentifier = new Map<string, Set<string>>()
  let writes = 0

  function keep(content: object, id: string) {
    writes += 1
    const version = String(Number(held.get(id)?.meta?.versionId ?? 0) + 1)
    // The compiler cannot see that every FHIR resource names its type.
    const resource = { ...(content as StoredResource), id, meta: { versionId: version } }
    held.set(id, resource)
    for (const { system, value = '' } of resource.identifier ?? []) {
      const key = `${resource.resourceType} ${searchToken({ system, value })}`
      byIdentifier.set(key, (byIdentifier.get(key) ?? new Set()).add(id))
    }
    return { id, version }
  }

  function find(type: string, token: string): StoredResource[] {
    const ids = [...(byIdentifier.get(`${type} ${token}`) ?? [])]
    return ids.map((id) => held.get(id)).filter((each) => each !== undefined)
  }

  const client: ChartClient = {
    metadata: () => Promise.resolve(undefined),
    read: (_type, id) => Promise.resolve(held.get(id)),
    search(type, { identifier }) {
      if (identifier !== undefined) return Promise.resolve(find(type, identifier))
      return Promise.reject(new Error('This chart searches by identifier alone.'))
    },
    create: (_type, resource) => Promise.resolve(keep(resource, String(held.size + 1))),
    conditionalUpdate: (type, identifier, resource) =>
      Promise.resolve(keep(resource, find(type, searchToken(identifier))[0]?.id ?? String(held.size + 1))),
    update: (_type, id, _version, resource) => Promise.resolve(keep(resource, id)),
  }

  const plans = createPlans({ load: () => Promise.resolve(undefined), overrides: {}, clock: systemClock })
  const shared = {
    options: {
      identifierBase: 'https://pawl.example/identifiers',
      clock: systemClock,
      documents: defaultDocuments,
      hasReviewActionCodes: true,
    },
    plans,
    resolvePatient(patient: { internal_id?: string | null | undefined } | undefined) {
      const id = patient?.internal_id ?? 'unknown'
      return Promise.resolve({ id, reference: { reference: `Patient/${id}`, type: 'Patient' } })
    },
    oneAtATime: createOneAtATime(),
  }
  return {
    ehr: { open: (run) => createMappedEhr({ ...shared, store: createChartStore({ client, plans, run }), run }) },
    writes: () => writes,
  }
}
