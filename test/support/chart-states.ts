import type { FhirServer } from '../../src/cli/dev/services/fhir-server.ts'

/** The business status of each Task that pawl wrote, by kind and id, such as `prior-authorization pa_req_1`. */
export async function readChartStates(chart: Pick<FhirServer, 'search'>): Promise<Map<string, string | undefined>> {
  const tasks = await chart.search('Task')
  return new Map(
    tasks.flatMap(({ identifier = [], businessStatus }) =>
      identifier.map(({ system, value }) => [`${system?.split('/').at(-1)} ${value}`, businessStatus?.text] as const),
    ),
  )
}
