import { afterEach, describe, expect, it } from 'vitest'
import { staticToken, type TokenProvider } from '../../src/fhir/auth/token-provider.ts'
import { FhirTokenRefused } from '../../src/fhir/auth/token-errors.ts'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { type Fetch } from '../../../base/src/net/fetch.ts'
import { canvas } from '../../../../test/support/charts/canvas.ts'
import { epic } from '../../../../test/support/charts/epic.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import { oracleHealth } from '../../../../test/support/charts/oracle-health.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { nameless, namelessCreating, remembering } from '../../../../test/support/charts/remembering.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createChartEhr, token } from './connect.ts'
import { populate } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

interface Options {
  patient?: string
  write?: boolean
  tokens?: TokenProvider
  /** Done to the chart before the check. */
  prepare?: (chart: Chart) => void
  credentials?: string
  strategies?: FhirEhrOptions['strategies']
  fetch?: Fetch
}

async function check(profile: ChartProfile, options: Options = {}) {
  const { patient, write, credentials = token, strategies = {}, prepare, fetch } = options
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  prepare?.(chart)
  const system = createChartEhr(chart, {
    tokens: options.tokens ?? staticToken(credentials),
    strategies,
    ...(fetch && { fetch }),
  })
  const { ok, findings = [], faults } = (await system.check?.(AbortSignal.timeout(20_000), { patient, write })) ?? {}
  if (write !== true) expect(chart.writes).toEqual([])
  return { chart, ok, findings, faults, text: findings.join('\n') }
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

  it('fails for credentials that the chart refuses', async () => {
    const { ok, text } = await check(epic, { credentials: 'another-token' })
    expect({ ok, text }).toMatchObject({ ok: false, text: expect.stringContaining('HTTP 401') })
  })

  it('says of a patient who may not be searched that the right is missing, and asks for no name of another', async () => {
    const prepare = (chart: Chart) => chart.refuse('Patient', 403)
    const { faults } = await check(everything, { patient: '0007', write: true, prepare })
    expect(faults).toEqual([
      expect.stringMatching(/^The sample patient cannot be looked for: .*; give the credentials system\/Patient\.s\.$/),
    ])
  })

  it('does not call it no answer when the credentials are refused', async () => {
    const prepare = (chart: Chart) => {
      for (let times = 0; times < 2; times += 1) chart.failNext({ type: 'metadata', status: 401 })
    }
    const { text } = await check(epic, { prepare })
    expect(text).toContain('FHIR_BASE_URL refuses the credentials: read metadata: HTTP 401')
    const tokens = {
      token: () => Promise.reject(new FhirTokenRefused({ httpStatus: 400, oauthError: 'invalid_client' })),
      refused() {},
    }
    const refused = await check(epic, { tokens })
    expect(refused.text).toMatch(/^The credentials are refused: .*invalid_client/)
    expect(refused.ok).toBe(false)
  })

  it('goes by the settings where they say otherwise', async () => {
    const { text } = await check(everything, { strategies: { ClaimResponse: 'skip', Task: 'search' } })
    expect(text).toMatch(/^ClaimResponse: not written, since FHIR_STRATEGIES says so/m)
    expect(text).toMatch(/^Task: searched by its identifier.*since FHIR_STRATEGIES says so/m)
    const strategies = { 'DocumentReference/letter': 'skip', 'DocumentReference/note': 'create' } as const
    const kinds = await check(everything, { strategies, patient: '0007', write: true })
    expect(kinds.text).toMatch(/^DocumentReference\/letter: not written, since FHIR_STRATEGIES says so/m)
    expect(kinds.text).toMatch(/^DocumentReference\/note: created, never updated, since FHIR_STRATEGIES says so/m)
    expect(kinds.text).not.toMatch(/^DocumentReference\/letter: written/m)
  })
})

describe('the check of a chart that may write', () => {
  const tested = (chart: Chart) =>
    chart.all('DocumentReference', ({ description }) => description?.startsWith('Test of a connection,') === true)

  it.each([
    [everything, /deleted again/, /keeps pawl's identifier/, []],
    [epic, /marked as entered in error/, /keeps pawl's identifier/, ['entered-in-error']],
    [nameless, /marked as entered in error/, /no identifier, but keeps the content/, ['entered-in-error']],
  ] as const)('tries a document on $name and takes it back', async (profile, taken, kept, left) => {
    const { ok, text, chart } = await check(profile, { patient: '0007', write: true })
    expect(text).toMatch(taken)
    expect(text).toMatch(kept)
    expect(tested(chart).map(({ status }) => status)).toEqual(left)
    expect(ok).toBe(true)
  })

  it('says which document stays where the chart allows no deletion', async () => {
    const { ok, text, chart } = await check(namelessCreating, { patient: '0007', write: true })
    const written = chart.writes.filter(({ type, status }) => type === 'DocumentReference' && status < 300)
    expect(written.length).toBeGreaterThan(7)
    for (const { id } of written)
      expect(text).toMatch(new RegExp(`^Stays in the chart.*: delete .*DocumentReference/${id}[ ,]`, 'm'))
    expect(ok).toBe(true)
    expect(tested(chart)).toHaveLength(1)
  })

  it('says of each type whether it is found again where the chart keeps no identifier', async () => {
    const named = Object.entries(remembering.types).map(([type, rules]) => [
      type,
      type === 'Patient' ? rules : { ...rules, drops: ['identifier'] },
    ])
    const profile: ChartProfile = { ...remembering, types: Object.fromEntries(named) }
    const { text } = await check(profile, { patient: '0007', write: true })
    expect(text).toMatch(/^Task: the chart keeps no identifier, but keeps the content, by which a Task is found again/m)
    for (const type of ['ClaimResponse', 'Coverage', 'CoverageEligibilityResponse'])
      expect(text).toContain(`${type}: pawl cannot find a ${type} again if the answer is lost`)
  })
})
