import { afterEach, describe, expect, it } from 'vitest'
import { staticToken } from '../../../src/connectors/ehr/fhir/auth/token-provider.ts'
import { createFhirEhr } from '../../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { canvas } from '../../support/charts/canvas.ts'
import { epic } from '../../support/charts/epic.ts'
import { everything } from '../../support/charts/everything.ts'
import { oracleHealth } from '../../support/charts/oracle-health.ts'
import type { ChartProfile } from '../../support/charts/profile.ts'
import { readOnly } from '../../support/charts/read-only.ts'
import { type Chart, mrnSystem, startChart } from '../../support/charts/start-chart.ts'
import { identifierBase, token } from './connect.ts'
import { populate, sharedMrn } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

interface Options {
  patient?: string
  credentials?: string
  strategies?: Parameters<typeof createFhirEhr>[0]['strategies']
}

async function check(profile: ChartProfile, { patient, credentials = token, strategies = {} }: Options = {}) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  const system = createFhirEhr({
    baseUrl: chart.url,
    identifierBase,
    tokens: staticToken(credentials),
    patient: { field: 'mrn', system: mrnSystem, checksBirthDate: true },
    strategies,
  })
  const report = await system.check?.(AbortSignal.timeout(20_000), { patient })
  expect(chart.writes).toEqual([])
  return { chart, ok: report?.ok, text: report?.findings.join('\n') ?? '' }
}

describe('the check of a chart', () => {
  for (const [profile, plan] of [
    [epic, { DocumentReference: /searched by its identifier/, Task: /not written.*takes updates, but no create/ }],
    [epic, { Communication: /created, never updated/, ClaimResponse: /not written.*the document of the PA says it/ }],
    [oracleHealth, { DocumentReference: /created once, then updated by the id/, Task: /not written.*has no Task/ }],
    [canvas, { DocumentReference: /created, never updated/, Task: /created once, then updated by the id/ }],
    [everything, { Task: /conditional update/, ClaimResponse: /conditional update/, Coverage: /conditional update/ }],
  ] as const) {
    it(`says of ${profile.name} how each type is written, and why: ${Object.keys(plan).join(', ')}`, async () => {
      const { ok, text } = await check(profile, { patient: '0007' })
      for (const [type, sentence] of Object.entries(plan)) {
        expect(text).toMatch(new RegExp(`^${type}: .*${sentence.source}`, 'm'))
      }
      expect(text).toMatch(/^The sample patient is Patient\/\S+\.$/m)
      expect(ok).toBe(true)
    })
  }

  it('says that a chart takes nothing, and fails', async () => {
    const { ok, text } = await check(readOnly)
    expect(ok).toBe(false)
    expect(text).toContain('The chart takes nothing that pawl writes')
  })

  it('says where a lost answer may leave a second resource', async () => {
    const { text } = await check(canvas)
    expect(text).toContain('Communication: where the answer to a create is lost, a second one may be created')
    expect(text).not.toContain('DocumentReference: where the answer')
  })

  it('fails for credentials that the chart refuses', async () => {
    const { ok, text } = await check(epic, { credentials: 'another-token' })
    expect({ ok, text }).toMatchObject({ ok: false, text: expect.stringContaining('HTTP 401') })
  })

  it('fails for a sample patient whom the chart does not know, or knows twice, without naming anybody', async () => {
    for (const [number, sentence] of [
      ['000', '(0 matches)'],
      [sharedMrn, 'patients of the chart have'],
    ] as const) {
      const { ok, text } = await check(epic, { patient: number })
      expect(ok).toBe(false)
      expect(text).toContain(sentence)
    }
  })

  it('goes by the settings where they say otherwise', async () => {
    const { text } = await check(everything, { strategies: { ClaimResponse: 'skip', Task: 'search' } })
    expect(text).toMatch(/^ClaimResponse: not written, since FHIR_STRATEGIES says so/m)
    expect(text).toMatch(/^Task: searched by its identifier.*since FHIR_STRATEGIES says so/m)
  })
})
