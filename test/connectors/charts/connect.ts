import type { ChartFile, ChartNote, Ehr, StaffTask, Subject } from '../../../src/connectors/ehr/ehr.ts'
import { createFhirEhr } from '../../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { type Fetch, leanFetch } from '../../../src/fetch.ts'
import type { RunContext } from '../../../src/systems/system.ts'
import { type Chart, mrnSystem } from '../../support/charts/start-chart.ts'

export const identifierBase = 'https://clinic.example/id'
export const token = 'chart-token'

/** The port as the connector offers it to handlers. */
export interface ChartEhr extends Omit<Ehr, 'openStaffTask' | 'closeStaffTask'> {
  openStaffTask(subject: Subject, task: StaffTask): Promise<void>
  closeStaffTask(subject: Subject, ending: 'completed' | 'cancelled', key?: string): Promise<void>
  putFile(subject: Subject, file: ChartFile): Promise<void>
  putNote(subject: Subject, note: ChartNote): Promise<void>
}

export interface Connection {
  open(run: RunContext): ChartEhr
  /** Calls this with the next body that is sent by PUT to an address that holds `part`, right before it goes. */
  beforePut(part: string, act: (body: string) => void): void
}

/** The FHIR connector on a chart, as a process starts it: what it learned stays with it. */
export function connect(chart: Chart): Connection {
  const waiting: { part: string; act: (body: string) => void }[] = []
  const fetch: Fetch = (address, init) => {
    const due = init.method === 'PUT' ? waiting.findIndex(({ part }) => address.includes(part)) : -1
    if (due !== -1) waiting.splice(due, 1)[0]?.act(init.body ?? '')
    return leanFetch(address, init)
  }
  const patient = { field: 'mrn', system: mrnSystem, checkBirthDate: true } as const
  const options = { baseUrl: chart.url, identifierBase, token, patient, fetch }
  const system = createFhirEhr(options)
  return {
    open(run) {
      const port: unknown = system.open(run)
      // The compiler cannot see that the port takes more than its declared methods.
      return port as ChartEhr
    },
    beforePut: (part, act) => void waiting.push({ part, act }),
  }
}
