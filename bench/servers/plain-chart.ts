import { systemClock } from '../../packages/base/src/clock.ts'
import type { Ehr } from '../../packages/ehr/src/ehr.ts'
import type { StoredByType, StoredType } from '../../packages/ehr/src/fhir/chart-types.ts'
import type { UpsertResource } from '../../packages/ehr/src/fhir/chart-store.ts'
import { createMappedEhr } from '../../packages/ehr/src/fhir/mapped-ehr.ts'
import type { MapResource } from '../../packages/ehr/src/fhir/memo.ts'
import { createPlans } from '../../packages/ehr/src/fhir/plans.ts'
import { defaultDocuments } from '../../packages/ehr/src/fhir/settings.ts'
import { createPdfWriter } from '../../packages/ehr/src/narrative/pdf-writer.ts'
import type { System } from '../../packages/connector/src/system.ts'

/** A chart over HTTP as a worker written by hand uses it: one search for the patient of a job, one PUT by identifier for each resource. It compares nothing, remembers nothing and keeps no edit of staff. */
export function createPlainChart(baseUrl: string): System<Ehr> {
  const pdfs = createPdfWriter()
  const plans = createPlans({ load: () => Promise.resolve(undefined), overrides: {}, clock: systemClock })

  const upsert: UpsertResource = async <T extends StoredType>(
    { type, identifier }: Parameters<UpsertResource>[0],
    map: MapResource<T>,
  ) => {
    const path = `${type}?identifier=${encodeURIComponent(`${identifier.system}|${identifier.value}`)}`
    // A task is ended only if it is there.
    const wanted = (await map(undefined)) ?? (await findOne<StoredByType[T]>(path).then((held) => held && map(held)))
    if (wanted === undefined) return undefined
    const { id } = (await ask(path, 'PUT', wanted)) as { id: string } // the chart answers with the resource
    return id
  }

  async function ask(path: string, method: string, body?: object): Promise<unknown> {
    const headers = { 'content-type': 'application/fhir+json' }
    const response = await fetch(`${baseUrl}/${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    if (!response.ok) throw new Error(`The chart answered ${response.status}.`)
    return response.json()
  }

  async function findOne<T>(path: string): Promise<T | undefined> {
    const { entry } = (await ask(path, 'GET')) as { entry: { resource: T }[] } // the chart answers a search so
    return entry[0]?.resource
  }

  return {
    open(run) {
      let found: Promise<{ id: string } | undefined> | undefined
      return createMappedEhr({
        options: {
          identifierBase: 'https://pawl.example/identifiers',
          documents: defaultDocuments,
          hasReviewActionCodes: true,
          writePdf: pdfs.write,
          clock: systemClock,
        },
        store: upsert,
        plans,
        async findPatient(patient) {
          found ??= findOne<{ id: string }>(`Patient?identifier=${patient?.internal_id}`)
          const id = (await found)?.id ?? ''
          return { id, reference: { reference: `Patient/${id}`, type: 'Patient' } }
        },
        oneAtATime: (_key, act) => act(),
        run,
      })
    },
  }
}
