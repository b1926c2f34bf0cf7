import { afterEach, describe, expect, it } from 'vitest'
import { staticToken } from '../../../src/connectors/ehr/fhir/auth/token-provider.ts'
import { createFhirEhr } from '../../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { demandingCanvas } from '../../support/charts/demanding/canvas.ts'
import { demandingEpic } from '../../support/charts/demanding/epic.ts'
import { everything } from '../../support/charts/everything.ts'
import type { ChartProfile } from '../../support/charts/profile.ts'
import { type Chart, mrnSystem, startChart } from '../../support/charts/start-chart.ts'
import { createTestRun, type TestRun } from '../../support/run-context.ts'
import { samplePriorAuthorization } from '../../support/samples.ts'
import { identifierBase, token } from './connect.ts'
import { nurseId, people, populate, prescriberId } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const [{ mrn, birthDate }] = people
const pa = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ patient: { mrn, date_of_birth: birthDate }, ...different })
const days = (count: number) => ({ kind: 'newest', days: count }) as const

async function start(profile: ChartProfile, options: Partial<Parameters<typeof createFhirEhr>[0]> = {}) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  const { patientIds } = populate(chart)
  let aheadMs = 0
  const open = (different: typeof options = {}) => {
    const system = createFhirEhr({
      baseUrl: chart.url,
      identifierBase,
      tokens: staticToken(token),
      patient: { field: 'mrn', system: mrnSystem, checksBirthDate: true },
      clock: { now: () => Date.now() + aheadMs },
      ...options,
      ...different,
    })
    return (run: TestRun) => system.open(run)
  }
  const documents = () => chart.all('DocumentReference', ({ description = '' }) => description !== '')
  const encounters = () => documents().map(({ context }) => context?.encounter?.[0]?.reference)
  const asked = (type: string) => chart.requests.get(`GET ${type}`) ?? 0
  return {
    chart,
    patientId: patientIds[0] ?? '',
    open,
    documents,
    encounters,
    asked,
    ahead: (ms: number) => void (aheadMs += ms),
  }
}

describe('the encounter of a document', () => {
  it('is the newest that began within the days of the rule, and stays the same', async () => {
    const { chart, patientId, open, encounters, asked, ahead } = await start(demandingEpic, { encounter: days(30) })
    const run = createTestRun()
    await open()(run).putPriorAuthorization(pa())
    chart.seed({
      resourceType: 'Encounter',
      status: 'finished',
      class: { code: 'AMB' },
      subject: { reference: `Patient/${patientId}` },
      period: { start: new Date().toISOString() },
    })
    ahead(60_000)
    await open()(run).putPriorAuthorization(pa({ status: 'awaiting_outcome' }))
    expect(encounters()).toEqual([`Encounter/recent-${patientId}`, `Encounter/recent-${patientId}`])
    // The two of the last thirty days, and those to come, on pages of two.
    expect(asked('Encounter')).toBe(2)
  })

  it('is the newest that is open', async () => {
    const { chart, patientId, open, encounters } = await start(demandingEpic, { encounter: { kind: 'newest-open' } })
    await expect(open()(createTestRun()).putPriorAuthorization(pa())).rejects.toMatchObject({
      code: 'encounter_not_found',
    })
    chart.edit('Encounter', `old-${patientId}`, (held) => void (held.status = 'in-progress'))
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(encounters()).toEqual([`Encounter/old-${patientId}`])
  })

  it('is never guessed: without a rule, or where none fits, the work parks with a sentence', async () => {
    const { chart, patientId, open } = await start(demandingEpic)
    const without = open()(createTestRun()).putPriorAuthorization(pa())
    await expect(without).rejects.toMatchObject({
      code: 'encounter_not_found',
      retry: 'never',
      parkedAgainMs: 86_400_000,
    })
    await expect(without).rejects.toThrow('pawl does not guess which: set FHIR_ENCOUNTER')
    const unfitting = open({ encounter: days(3) })(createTestRun()).putPriorAuthorization(pa())
    await expect(unfitting).rejects.toThrow("none of the patient's fits FHIR_ENCOUNTER")
    expect(chart.writes).toEqual([])
    const sentence = await unfitting.catch((error: unknown) => String(error))
    for (const secret of [patientId, mrn, birthDate]) expect(sentence).not.toContain(secret)
  })

  it('is taken where a rule finds one, and left out where not, on a chart that demands none', async () => {
    const withEncounters = { ...everything, types: { ...everything.types, Encounter: demandingEpic.types.Encounter } }
    const { patientId, open, encounters } = await start(withEncounters as ChartProfile, { encounter: days(30) })
    await open()(createTestRun()).putPriorAuthorization(pa())
    await open({ encounter: days(3) })(createTestRun({ resourceId: 'pa_req_2' })).putPriorAuthorization(
      pa({ id: 'pa_req_2' }),
    )
    expect(encounters()).toEqual([`Encounter/recent-${patientId}`, undefined])
  })
})

describe('the practitioner of a task', () => {
  const requesters = (chart: Chart) =>
    chart.all('Task', ({ intent }) => intent === 'unknown').map(({ requester }) => requester?.reference)

  it('is the prescriber, found once by NPI', async () => {
    const { chart, open, asked, ahead } = await start(demandingCanvas)
    const run = createTestRun()
    await open()(run).putPriorAuthorization(pa())
    ahead(60_000)
    await open()(run).putPriorAuthorization(pa({ status: 'awaiting_outcome' }))
    expect(requesters(chart)).toEqual([`Practitioner/${prescriberId}`])
    expect(asked('Practitioner')).toBe(1)
  })

  it('is the one whom the settings name', async () => {
    const author = { reference: `Practitioner/${nurseId}` }
    const { chart, open, asked } = await start(demandingCanvas, { documents: { author } })
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(requesters(chart)).toEqual([author.reference])
    expect(asked('Practitioner')).toBe(0)
  })

  it.each([
    ['has none with the NPI', 'has 0 practitioners', [] as const],
    ['has several', 'has 2 practitioners', ['one', 'two'] as const],
  ])('is never guessed where the chart %s', async (_, sentence, ids) => {
    const { chart, open } = await start(demandingCanvas)
    const identifier = [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '1111111112' }]
    for (const id of ids) chart.seed({ resourceType: 'Practitioner', id, identifier })
    const write = open()(createTestRun()).putPriorAuthorization(
      pa({ provider: { first_name: 'Max', last_name: 'Muster', npi: '1111111112' } }),
    )
    await expect(write).rejects.toMatchObject({ code: 'practitioner_not_found', parkedAgainMs: 86_400_000 })
    await expect(write).rejects.toThrow(sentence)
    expect(chart.writes).toEqual([])
  })

  it('is the one in use, where the others are not', async () => {
    const { chart, open } = await start(demandingCanvas)
    chart.seed({
      resourceType: 'Practitioner',
      active: false,
      identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '1234567893' }],
    })
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(requesters(chart)).toEqual([`Practitioner/${prescriberId}`])
  })
})

describe('a task that staff ended in a chart that shows its words alone', () => {
  it('stays ended, and opens for another reason', async () => {
    const { chart, open } = await start(demandingCanvas)
    const run = createTestRun()
    const task = { title: 'Call the payer', reason: 'appeal' }
    await open()(run).openStaffTask(pa(), task)
    const [opened] = chart.all('Task', ({ intent }) => intent === 'unknown')
    expect(opened?.description).toContain('Reason: appeal')
    chart.edit('Task', opened?.id ?? '', (held) => void (held.status = 'completed'))
    await open()({ ...run, inDoubt: true }).openStaffTask(pa(), task)
    expect(chart.all('Task', ({ id }) => id === opened?.id)[0]?.status).toBe('completed')
    await open()(run).openStaffTask(pa(), { ...task, reason: 'more_information_required' })
    expect(chart.all('Task', ({ id }) => id === opened?.id)[0]?.status).toBe('requested')
    await open()(run).closeStaffTask(pa(), 'completed')
    expect(chart.all('Task', ({ id }) => id === opened?.id)[0]?.status).toBe('completed')
  })
})
