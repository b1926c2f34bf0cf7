import type { Hl7Listener } from './hl7-listener.ts'
import type { FhirServer } from '../../packages/testing/src/services/fhir-server.ts'

/** The business status of each Task that pawl wrote, by kind and id, such as `prior-authorization pa_req_1`. */
export async function readChartStates(chart: Pick<FhirServer, 'search'>): Promise<Map<string, string | undefined>> {
  const tasks = await chart.search('Task')
  return new Map(
    tasks.flatMap(({ identifier = [], businessStatus }) =>
      identifier.map(({ system, value }) => [`${system?.split('/').at(-1)} ${value}`, businessStatus?.text] as const),
    ),
  )
}

/** The status that each available document says, by kind and id, as above. Throws where there are two of one. */
export function readDocumentStates({ documents }: Pick<Hl7Listener, 'documents'>): Map<string, string> {
  const states = new Map<string, string>()
  for (const { status, message } of documents()) {
    const kind = message.getSegment('OBX')?.getComponent(3, 4) ?? ''
    if (status !== 'available' || !['prior-authorization', 'prescription-transfer'].includes(kind)) continue
    const words = message.toString()
    const name = `${kind} ${/(?:Request|Prior authorization): (pa_\w+)/.exec(words)?.[1]}`
    if (states.has(name)) throw new Error(`There is a second document: ${name}.`)
    const [, state = 'none'] = /\|Status: ([^|]*)/.exec(words) ?? []
    // The service's code stands in parentheses where the words differ from it.
    states.set(name, /\((\w+)\)$/.exec(state)?.[1] ?? state.toLowerCase().replaceAll(' ', '_'))
  }
  return states
}
