import type { Ehr } from '../../src/ehr.ts'
import type { ChosenFiling, Filing } from '../../src/filing.ts'
import { staticToken } from '../../src/fhir/auth/token-provider.ts'
import { defaultDocuments, type DocumentSettings } from '../../src/fhir/settings.ts'
import { createFhirEhr, type FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { type Fetch, leanFetch } from '../../../base/src/net/fetch.ts'
import type { RunContext, System } from '../../../connector/src/system.ts'
import { nurseId } from './people.ts'
import { type Chart, mrnSystem } from '../../../../test/support/charts/start-chart.ts'

export const identifierBase = 'https://clinic.example/id'

/** Everything filed, as tests of how it is written want it on any chart. */
export const everythingFiled: Filing = { states: 'every', benefits: 'every', letters: 'every', messages: 'every' }
export const token = 'chart-token'

/** The prescriber as author, who can be looked up in any chart. */
export const byPrescriber: DocumentSettings = {
  author: { display: 'Prior authorization service' },
  isByPrescriber: true,
}

/** The FHIR connector to a chart, where it finds patients by MRN, with the options that a test wants different. */
export function createChartEhr(chart: Chart, different: Partial<FhirEhrOptions> = {}) {
  return createFhirEhr({
    baseUrl: chart.url,
    identifierBase,
    tokens: staticToken(token),
    patient: { field: 'mrn', system: mrnSystem, checksBirthDate: true },
    filing: everythingFiled,
    documents: byPrescriber,
    ...different,
  })
}

export interface Connection {
  open(run: RunContext): Ehr
  /** Reads back and mends what the chart holds of one resource. */
  system: System<Ehr>
  /** Sets its clock ahead. */
  ahead(ms: number): void
  /** Calls this with the next body that is sent by PUT to an address that holds `part`, right before it goes. */
  beforePut(part: string, act: (body: string) => void): void
}

/** The FHIR connector on a chart, as a process starts it: what it learned stays with it. */
export function connect(chart: Chart, filing: ChosenFiling = everythingFiled): Connection {
  const waiting: { part: string; act: (body: string) => void }[] = []
  const fetch: Fetch = (address, init) => {
    const due = init.method === 'PUT' ? waiting.findIndex(({ part }) => address.includes(part)) : -1
    if (due !== -1) waiting.splice(due, 1)[0]?.act(init.body ?? '')
    return leanFetch(address, init)
  }
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  const system = createChartEhr(chart, {
    messageRecipient: 'Group/prior-authorizations',
    profile: chart.profile.pawlProfile,
    filing,
    // The service account of pawl, where the chart takes nothing without an author.
    documents:
      chart.profile.demandsAuthor === true ? { author: { reference: `Practitioner/${nurseId}` } } : defaultDocuments,
    encounter: 'Encounter' in chart.profile.types ? { kind: 'newest', days: 30 } : undefined,
    fetch,
    clock,
  })
  return {
    open: (run) => system.open(run),
    system,
    ahead: (ms) => void (aheadMs += ms),
    beforePut: (part, act) => void waiting.push({ part, act }),
  }
}
