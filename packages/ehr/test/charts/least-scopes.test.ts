import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { leastScopes, patientScopes } from '../../src/fhir/auth/least-scopes.ts'
import { FhirTokenRefused } from '../../src/fhir/auth/token-errors.ts'
import { createFhirEhr, fhirEhr } from '../../src/fhir/fhir-ehr.ts'
import type { FhirSettings } from '../../src/fhir/settings.ts'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { validatingMedplum, validatingUsCore } from '../../../../test/support/charts/demanding/validating.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { type Chart, mrnSystem, startChart } from '../../../../test/support/charts/start-chart.ts'
import { identifierBase } from './connect.ts'
import { populate, prescriberId, prescriberNpi } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const allTypes =
  'system/Patient.rs system/ClaimResponse.crus system/Communication.crus system/Coverage.crus system/CoverageEligibilityResponse.crus system/DocumentReference.crus system/Task.crus'
/** That of pawl's service account. */
const author = 'Practitioner/5'
const newest = { kind: 'newest', days: 90 } as const

describe('the scopes that pawl asks for', () => {
  it.each<[string, FhirSettings, string]>([
    ['all types, where no profile is set', {}, allTypes],
    ['encounters by a rule', { FHIR_ENCOUNTER: newest }, `${allTypes} system/Encounter.rs`],
    ['encounters to create', { FHIR_ENCOUNTER: { kind: 'create' } }, `${allTypes} system/Encounter.crs`],
    [
      "the prescriber's encounters",
      { FHIR_ENCOUNTER: { ...newest, ofPrescriber: true } },
      `${allTypes} system/Encounter.rs system/Practitioner.rs`,
    ],
    ['an author', { FHIR_DOCUMENT_AUTHOR: 'Practitioner/5' }, `${allTypes} system/Practitioner.rs`],
    ['no type that is left out', { FHIR_STRATEGIES: { Task: 'skip' } }, allTypes.replace(' system/Task.crus', '')],
    [
      'a type that a profile leaves out, and a setting does not',
      { FHIR_PROFILE: 'epic', FHIR_STRATEGIES: { Communication: 'create' } },
      'system/Patient.rs system/Communication.crus system/DocumentReference.crs',
    ],
    [
      'what FHIR_PROFILE_OVERRIDES opens, and not what it leaves out',
      {
        FHIR_PROFILE: 'epic',
        FHIR_PROFILE_OVERRIDES: {
          Communication: { unfit: null },
          DocumentReference: { neverUpdated: null, author: null },
        },
      },
      'system/Patient.rs system/Communication.crus system/DocumentReference.crus',
    ],
    [
      'no type that FHIR_PROFILE_OVERRIDES leaves out',
      { FHIR_PROFILE_OVERRIDES: { Task: { unfit: 'the chart has no work list' } } },
      allTypes.replace(' system/Task.crus', ''),
    ],
  ])('are for %s', (_, settings, scopes) => {
    expect(leastScopes(settings)).toBe(scopes)
  })

  it.each<[ChartProfile, FhirSettings]>([
    [demandingEpic, { FHIR_PROFILE: 'epic', FHIR_ENCOUNTER: newest }],
    [demandingOracleHealth, { FHIR_PROFILE: 'oracle-health', FHIR_MESSAGE_RECIPIENT: 'Group/1' }],
    [demandingCanvas, { FHIR_PROFILE: 'canvas' }],
    [demandingCanvas, { FHIR_PROFILE: 'canvas', FHIR_DOCUMENT_AUTHOR: `Practitioner/${prescriberId}` }],
    [
      demandingOracleHealth,
      { FHIR_PROFILE: 'oracle-health', FHIR_MESSAGE_RECIPIENT: 'Group/1', FHIR_DOCUMENT_AUTHOR: 'prescriber' },
    ],
    [demandingAthenaPractice, { FHIR_PROFILE: 'athenapractice', FHIR_DOCUMENT_AUTHOR: 'prescriber' }],
    [validatingUsCore, { FHIR_PROFILE: 'us-core' }],
    [validatingMedplum, { FHIR_PROFILE: 'medplum' }],
    [everything, {}],
  ])('cover all that it does in $name', async (profile, settings) => {
    const chart = await startChart(profile)
    charts.push(chart)
    populate(chart)
    const system = fhirEhr({
      NODE_ENV: 'test',
      FHIR_BASE_URL: chart.url,
      FHIR_IDENTIFIER_BASE: identifierBase,
      FHIR_PATIENT_FIELD: 'mrn',
      FHIR_PATIENT_SYSTEM: mrnSystem,
      ...settings,
    })
    const sample = { patient: '0007', write: true, npi: prescriberNpi }
    expect(await system.check?.(AbortSignal.timeout(20_000), sample)).toMatchObject({ ok: true })
    const rightOf: Record<string, string> = { GET: '[rs]', POST: 'c', PUT: 'u', PATCH: 'u' }
    const done = [
      ...[...chart.requests.keys()].filter((each) => each.startsWith('GET ') && each !== 'GET metadata'),
      // Refusals and deletions belong to the check's cleanup.
      ...chart.writes.filter(({ status }) => status < 300).map(({ method, type }) => `${method} ${type}`),
    ].filter((each) => !each.startsWith('DELETE '))
    const scopes = leastScopes(settings).split(' ')
    const uncovered = done.filter((each) => {
      const [method = '', type = ''] = each.split(' ')
      return !scopes.some((scope) => new RegExp(`^system/${type}\\.[crus]*${rightOf[method]}`).test(scope))
    })
    expect(uncovered).toEqual([])
  })

  it('are named by the check, also where the token is refused', async () => {
    const chart = await startChart(everything)
    charts.push(chart)
    const check = (isRefused: boolean) => {
      const token = () =>
        isRefused
          ? Promise.reject(new FhirTokenRefused({ httpStatus: 400, oauthError: 'invalid_scope' }))
          : Promise.resolve('a-token')
      const tokens = { scopes: 'system/Patient.rs', token, refused() {} }
      return createFhirEhr({ baseUrl: chart.url, identifierBase, tokens }).check?.(AbortSignal.timeout(20_000))
    }
    const named = 'Scopes that pawl asks for: system/Patient.rs'
    expect(await check(false)).toMatchObject({ ok: true, findings: expect.arrayContaining([named]), faults: [] })
    const refused = expect.stringMatching(/invalid_scope.*FHIR_PROFILE/)
    expect(await check(true)).toEqual({ ok: false, findings: [named, refused], faults: [refused] })
  })

  it.each([
    ['Epic', leastScopes({ FHIR_PROFILE: 'epic', FHIR_ENCOUNTER: newest, FHIR_DOCUMENT_AUTHOR: author })],
    ['Oracle Health', leastScopes({ FHIR_PROFILE: 'oracle-health', FHIR_DOCUMENT_AUTHOR: author })],
    ['Canvas', leastScopes({ FHIR_PROFILE: 'canvas' })],
    ['athenaPractice, athenaFlow', leastScopes({ FHIR_PROFILE: 'athenapractice' })],
    ['Medplum', leastScopes({ FHIR_PROFILE: 'medplum' })],
    ['US Core', leastScopes({ FHIR_PROFILE: 'us-core' })],
    ['athenaOne, eClinicalWorks', patientScopes],
  ])('are those that docs/ehr.md has registered at %s', (title, scopes) => {
    const section = readFileSync('docs/ehr.md', 'utf8').split(`### ${title}\n`)[1]?.split(/\n##/)[0] ?? ''
    const named = [...section.matchAll(/`(system\/\w+\.\w+)`/g)].map(([, scope]) => scope)
    expect(new Set(named)).toEqual(new Set(scopes.split(' ')))
  })
})
