import { afterEach, describe, expect, it } from 'vitest'
import { EhrWriteFailed } from '../../src/ehr-write-failed.ts'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { defaultDocuments } from '../../src/fhir/settings.ts'
import { canvas } from '../../../../test/support/charts/canvas.ts'
import { epic } from '../../../../test/support/charts/epic.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { demandingProfiles } from '../../../../test/support/charts/profiles.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import { oracleHealth } from '../../../../test/support/charts/oracle-health.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { ownResources } from './chart-reading.ts'
import { connect, createChartEhr, identifierBase, token } from './connect.ts'
import { people, populate, sharedMrn } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

async function start(profile: ChartProfile): Promise<Chart> {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  return chart
}

const [{ mrn, birthDate }] = people
const paOf = (patient: Record<string, string>) =>
  samplePriorAuthorization({ patient: { mrn, date_of_birth: birthDate, ...patient } })

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each([epic, oracleHealth, canvas, everything, ...demandingProfiles])('on the chart $name', (profile) => {
  for (const [what, patient, code] of [
    ['has an unknown number', { mrn: '000' }, 'patient_not_found'],
    ['has a number of which the chart knows only a longer one', { mrn: '0071' }, 'patient_not_found'],
    ['has another birth date than the chart says', { date_of_birth: '1971-01-31' }, 'patient_not_found'],
    ['has a number that two patients have', { mrn: sharedMrn, date_of_birth: '1999-09-09' }, 'patient_ambiguous'],
  ] as const) {
    it(`writes nothing for a patient who ${what}`, async () => {
      const chart = await start(profile)
      const pa = paOf(patient)
      const error = await failureOf(connect(chart).open(createTestRun()).putPriorAuthorization(pa))
      expect(error).toMatchObject({ code, retry: 'never' })
      expect(String(error)).not.toContain(pa.patient?.mrn)
      expect(String(error)).not.toContain(pa.patient?.date_of_birth)
      expect(chart.writes).toEqual([])
    })
  }

  it('keeps what could be written when one type is refused, and writes the rest once it no longer is', async () => {
    const chart = await start(profile)
    const run = createTestRun()
    const connection = connect(chart)
    const refusedType = profile.types.Task?.interactions.includes('create') ? 'Task' : 'Communication'
    chart.refuse(refusedType, 403)
    const failure = await failureOf(connection.open(run).putPriorAuthorization(paOf({})))
    if (refusedType === 'Task') expect(failure).toMatchObject({ code: 'ehr_write_failed', resourceType: 'Task' })
    else expect(failure).toBeUndefined()
    const before = ownResources(chart, identifierBase)
    expect(before.map(({ resourceType }) => resourceType)).toContain('DocumentReference')
    const named = (each: { id?: string | undefined }) => each.id
    expect(new Set(run.receipts.map(named))).toEqual(new Set(before.map(named)))
    chart.refuse(refusedType)
    await connection.open(run).putPriorAuthorization(paOf({}))
    const types = ownResources(chart, identifierBase).map(({ resourceType }) => resourceType)
    expect(types).toEqual([...new Set(types)])
    expect(types.includes('Task')).toBe(refusedType === 'Task')
  })
})

describe.each([400, 422])('a document refused with %i', (status) => {
  it('names all demands of the vendor, each with its source, where it visibly misses none', async () => {
    const chart = await start(demandingOracleHealth)
    chart.refuse('DocumentReference', status)
    const error = String(await failureOf(connect(chart).open(createTestRun()).putPriorAuthorization(paOf({}))))
    expect(error).toContain('it may have missed a demand of Oracle Health Millennium: one attachment;')
    expect(error).toContain(
      'content as application/xhtml+xml; a charset; context.period.end (https://github.com/cerner/',
    )
    expect(error).toContain(
      'docStatus final or amended (https://github.com/cerner/fhir.cerner.com/pull/216, 2026-11-28)',
    )
    expect(error).toContain('FHIR_PROFILE_OVERRIDES')
    expect(error).not.toContain('correct the mapping')
  })
})

it.each<[string, Partial<FhirEhrOptions>, string, string]>([
  [
    'an encounter that a setting leaves out',
    { profileOverrides: { DocumentReference: { encounter: null } } },
    'an encounter by FHIR_ENCOUNTER',
    'specification 1046, 2026-11-24)',
  ],
  [
    'its own type, where a setting names another',
    {
      encounter: { kind: 'newest', days: 30 },
      documents: { ...defaultDocuments, type: { coding: [{ system: 'urn:x', code: '1' }] } },
    },
    'its own type',
    'quotes specification 865), 2026-11-24)',
  ],
])('a refused document names as its likely cause %s', async (_, options, demand, source) => {
  const chart = await start(demandingEpic)
  const ehr = createChartEhr(chart, { documents: defaultDocuments, ...options }).open(createTestRun())
  const error = String(await failureOf(ehr.putPriorAuthorization(paOf({}))))
  expect(error).toContain(`it misses demands of Epic: ${demand} (`)
  expect(error).toContain(source)
  expect(error).not.toContain('one attachment')
})

describe('on the chart oracle-health', () => {
  it('parks a file of a type that the chart does not take', async () => {
    const chart = await start(oracleHealth)
    const file = { key: 'a', kind: 'attachment', title: 'Photo', contentType: 'image/bmp', content: Buffer.from('a') }
    const ehr = connect(chart).open(createTestRun())
    const error = await failureOf(ehr.putFile(paOf({}), { ...file, kind: 'attachment' }))
    expect(error).toBeInstanceOf(EhrWriteFailed)
    expect(error).toMatchObject({ resourceType: 'DocumentReference', retry: 'never' })
    expect(ownResources(chart, identifierBase)).toEqual([])
  })
})
