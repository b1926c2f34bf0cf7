import { createFhirEhr, type FhirEhrOptions } from '../../src/connectors/ehr/fhir/fhir-ehr.ts'
import type { Chart } from './charts/start-chart.ts'
import { createTestRun } from './run-context.ts'

/** When what is written in a test of the mappings is first written. */
export const firstWrittenAt = '2026-03-01T12:00:00.000Z'

/** The FHIR connector on a chart, at a time that a test sets, with the options that it wants different. Each run of `open` remembers nothing of those before. */
export function openMappedChart(chart: Chart, different: Partial<FhirEhrOptions> = {}) {
  const clock = { at: Date.parse(firstWrittenAt), now: () => clock.at }
  const system = createFhirEhr({
    baseUrl: chart.url,
    identifierBase: 'https://clinic.example/id',
    documents: { formats: ['text/plain'], author: { display: 'Prior authorization desk' } },
    clock,
    ...different,
  })
  return { clock, open: () => system.open(createTestRun()) }
}
