import { createFhirEhr, type FhirEhrOptions } from '../src/fhir/fhir-ehr.ts'
import { startChart } from '../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { samplePatient } from '../../../test/support/samples.ts'
import { plain } from './charts/plain.ts'

/** When a test of the mappings first writes. */
export const firstWrittenAt = '2026-03-01T12:00:00.000Z'

/**
 * A chart that knows the sample patient as Patient/17, and the FHIR connector on it, at a time that a test sets, with the options that it wants
 * different. Each run of `open` remembers nothing of those before.
 */
export async function startMappedChart(different: Partial<FhirEhrOptions> = {}) {
  const chart = await startChart(plain)
  const { internal_id: internalId, mrn, date_of_birth: birthDate } = samplePatient
  chart.seedPatient({ id: '17', internalId, mrn, birthDate, name: 'Testa Sample' })
  chart.seed({ resourceType: 'Practitioner', id: '12' })
  chart.seed({ resourceType: 'Organization', id: '4' })
  const clock = { at: Date.parse(firstWrittenAt), now: () => clock.at }
  const system = createFhirEhr({
    baseUrl: chart.url,
    identifierBase: 'https://clinic.example/id',
    documents: { formats: ['text/plain'], author: { display: 'Prior authorization desk' } },
    clock,
    ...different,
  })
  return { chart, clock, system, open: (run = createTestRun()) => system.open(run) }
}
