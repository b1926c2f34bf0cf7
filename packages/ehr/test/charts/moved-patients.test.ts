import { afterEach, describe, expect, it } from 'vitest'
import { everything } from '../../../../test/support/charts/everything.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { oracleHealth } from '../../../../test/support/charts/oracle-health.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun, type TestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { connect, token } from './connect.ts'
import { practitioners } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const person = { mrn: '0007', birthDate: '1970-01-31', name: 'Testa Sample' }
const pa = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ patient: { mrn: '0007', date_of_birth: '1970-01-31' }, ...different })
const approved = { status: 'completed', outcome: { result: 'Approved' } }

async function start(profile: ChartProfile) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  const first = chart.seedPatient({ ...person, id: 'first' })
  for (const practitioner of practitioners) chart.seed(practitioner)
  const connection = connect(chart)
  const write = (run: TestRun, different = {}) => connection.open(run).putPriorAuthorization(pa(different))
  const subjects = () => chart.all('DocumentReference').map(({ subject }) => subject?.reference)
  return { chart, first, write, subjects }
}

/** As a chart merges two records: the one is not in use any more, and says which one is. */
function merge(chart: Chart, from: string, into: string, reference = `Patient/${into}`): void {
  chart.edit('Patient', from, (held) => {
    held.active = false
    held.link = [{ type: 'replaced-by', other: { reference } }]
  })
}

describe.each([oracleHealth, everything, demandingOracleHealth])(
  'on the chart $name, a patient who is remembered',
  (profile) => {
    it('is written to in the record into which theirs was merged', async () => {
      const { chart, first, write, subjects } = await start(profile)
      const run = createTestRun()
      await write(run)
      chart.seedPatient({ mrn: '99', birthDate: person.birthDate, name: 'Testa Sample', id: 'middle' })
      chart.seedPatient({ mrn: '98', birthDate: person.birthDate, name: 'Testa Sample', id: 'last' })
      merge(chart, first, 'middle')
      merge(chart, 'middle', 'last', `${chart.url}/Patient/last/_history/1`)
      await write(run, approved)
      expect(subjects()).toEqual(['Patient/last'])
      await write(run, { status: 'cancelled' })
      expect(subjects()).toEqual(['Patient/last'])
    })

    it('is found anew once theirs was deleted and they were entered again', async () => {
      const { chart, first, write, subjects } = await start(profile)
      const run = createTestRun()
      await write(run)
      chart.remove('Patient', first)
      await expect(write(run, approved)).rejects.toMatchObject({ code: 'patient_not_found' })
      expect(subjects()).toEqual(['Patient/first'])
      chart.seedPatient({ ...person, id: 'second' })
      await write(run, approved)
      expect(subjects()).toEqual(['Patient/second'])
    })

    it('is asked for once in a run that writes, and not at all in one that does not', async () => {
      const { chart, write } = await start(profile)
      const run = createTestRun()
      await write(run)
      const asked = () => chart.requests.get('GET Patient') ?? 0
      const before = asked()
      await write(run)
      expect(asked()).toBe(before)
      await write(run, approved)
      expect(asked()).toBe(before + 1)
    })

    it('has nothing written where theirs leads to no record of this chart', async () => {
      const { chart, first, write } = await start(profile)
      const run = createTestRun()
      await write(run)
      const writes = chart.writes.length
      chart.seedPatient({ mrn: '98', birthDate: person.birthDate, name: 'Ida Bystander', id: 'other' })
      merge(chart, first, 'other', 'https://another-chart.example/fhir/Patient/other')
      await expect(write(run, approved)).rejects.toMatchObject({ code: 'patient_not_found' })
      expect(chart.writes).toHaveLength(writes)
    })

    it('is found by a search where the credentials may not read them', async () => {
      const { chart, write, subjects } = await start(profile)
      const run = createTestRun()
      await write(run)
      chart.failNext({ method: 'GET', type: 'Patient', status: 403 })
      await write(run, approved)
      expect(subjects()).toEqual(['Patient/first'])
    })
  },
)

describe('a patient whose record was merged', () => {
  it('is not taken for two, though both records have the number', async () => {
    const { chart, first, write, subjects } = await start(everything)
    chart.seedPatient({ ...person, id: 'survivor' })
    merge(chart, first, 'survivor')
    await write(createTestRun())
    expect(subjects()).toEqual(['Patient/survivor'])
  })

  it('is the one in use, where the other record does not say what replaces it', async () => {
    const { chart, first, write, subjects } = await start(everything)
    chart.seedPatient({ ...person, id: 'survivor' })
    chart.edit('Patient', first, (held) => void (held.active = false))
    await write(createTestRun())
    expect(subjects()).toEqual(['Patient/survivor'])
  })

  it('is given up on where records replace each other in a circle', async () => {
    const { chart, first, write } = await start(everything)
    chart.seedPatient({ ...person, id: 'second' })
    merge(chart, first, 'second')
    merge(chart, 'second', first)
    await expect(write(createTestRun())).rejects.toMatchObject({ code: 'patient_not_found' })
    expect(chart.writes).toEqual([])
  })
})
