import type { DocumentReference, FhirResource } from 'fhir/r4.js'
import { afterEach, describe, expect, it } from 'vitest'
import { fhirEhr } from '../../src/fhir/fhir-ehr.ts'
import type { ProfileName } from '../../src/fhir/profiles/profile.ts'
import { vendorProfiles } from '../../src/fhir/profiles/vendor-profiles.ts'
import { fhirSettings } from '../../src/fhir/settings.ts'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { type Chart, mrnSystem, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { identifierBase, token } from './connect.ts'
import { people, populate, prescriberNpi } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

/** The connector with FHIR_PROFILE and FHIR_PROFILE_OVERRIDES as an operator sets them. */
async function start(profile: ChartProfile, name: ProfileName, overrides: object | undefined) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  const { FHIR_PROFILE_OVERRIDES } = fhirSettings
  const system = fhirEhr({
    NODE_ENV: 'test',
    FHIR_BASE_URL: chart.url,
    FHIR_IDENTIFIER_BASE: identifierBase,
    FHIR_TOKEN: token,
    FHIR_PATIENT_FIELD: 'mrn',
    FHIR_PATIENT_SYSTEM: mrnSystem,
    FHIR_MESSAGE_RECIPIENT: 'Group/prior-authorizations',
    FHIR_PROFILE: name,
    FHIR_DOCUMENT_AUTHOR: 'prescriber',
    FHIR_PROFILE_OVERRIDES: overrides && FHIR_PROFILE_OVERRIDES.parse(JSON.stringify(overrides)),
    ...('Encounter' in profile.types && { FHIR_ENCOUNTER: { kind: 'newest', days: 30 } as const }),
  })
  const check = (write: boolean) =>
    system.check?.(AbortSignal.timeout(20_000), { patient: '0007', write, npi: prescriberNpi })
  return { chart, system, check }
}

/** All parts of a vendor's profile, as the setting says them. */
function partsOf(name: ProfileName) {
  const { DocumentReference, Task, Communication } = vendorProfiles[name]
  return Object.fromEntries(
    Object.entries({ DocumentReference, Task, Communication }).map(([type, demands]) => [
      type,
      Object.fromEntries(Object.entries(demands).map(([part, { is }]) => [part, is])),
    ]),
  )
}

describe.each<[ProfileName, ChartProfile]>([
  ['epic', demandingEpic],
  ['oracle-health', demandingOracleHealth],
  ['canvas', demandingCanvas],
  ['athenapractice', demandingAthenaPractice],
])('all that %s demands', (name, profile) => {
  it('can be said by FHIR_PROFILE_OVERRIDES alone', async () => {
    const { check } = await start(profile, 'r4', partsOf(name))
    expect(await check(true)).toMatchObject({ ok: true, faults: [] })
  })

  it('is refused without it', async () => {
    const { check } = await start(profile, 'r4', undefined)
    expect(await check(true)).toMatchObject({ ok: false })
  })
})

describe('a chart that differs from its profile', () => {
  const category = { coding: [{ system: 'urn:clinic', code: 'prior-authorizations' }] }
  const reviewer = 'http://schemas.canvasmedical.com/fhir/document-reference-reviewer'
  const objection = (resource: FhirResource) => {
    if (resource.resourceType !== 'DocumentReference') return undefined
    const { category: [kind] = [], extension = [], context, description } = resource
    if (kind?.coding?.[0]?.code !== 'prior-authorizations') return 'category'
    if (extension.length !== 1 || extension[0]?.url !== reviewer) return 'extension'
    if (context?.period?.end === undefined) return 'context.period'
    return description?.startsWith('Prior authorization') === true ? undefined : 'description'
  }
  const { DocumentReference: documents } = demandingCanvas.types
  if (documents === undefined) throw new Error('Canvas has documents.')
  const other = {
    ...demandingCanvas,
    types: { ...demandingCanvas.types, DocumentReference: { ...documents, objection } },
  }
  const overrides = {
    DocumentReference: {
      category,
      description: null,
      period: true,
      extensions: [{ url: reviewer, from: 'practitioner' }],
    },
  }
  const pa = samplePriorAuthorization({
    status: 'completed',
    patient: { mrn: people[0].mrn, date_of_birth: people[0].birthDate },
    provider: { npi: prescriberNpi },
  })

  it('is refused by the profile alone, and takes documents by FHIR_PROFILE_OVERRIDES', async () => {
    const { system: refused } = await start(other, 'canvas', undefined)
    await expect(refused.open(createTestRun()).putPriorAuthorization(pa)).rejects.toMatchObject({ retry: 'never' })
    const { system, chart } = await start(other, 'canvas', overrides)
    await system.open(createTestRun()).putPriorAuthorization(pa)
    const [document] = chart.all('DocumentReference', isOfCanvas) as DocumentReference[]
    expect(document).toMatchObject({ category: [category], description: expect.stringContaining('Prior') })
    // Other demands stay as the profile has them.
    expect(document?.type?.coding?.[0]?.code).toBe('51851-4')
    expect(chart.all('Task', ({ intent }) => intent === 'unknown')).toHaveLength(1)
  })

  const isOfCanvas = ({ extension }: DocumentReference) => extension?.[0]?.url === reviewer

  it('is told by the check part by part', async () => {
    const { check } = await start(other, 'canvas', overrides)
    const report = await check(false)
    expect(report?.ok).toBe(true)
    expect(report?.findings).toEqual(
      expect.arrayContaining([
        `DocumentReference.category: ${JSON.stringify(category)}, since FHIR_PROFILE_OVERRIDES says so.`,
        'DocumentReference.description: not demanded, since FHIR_PROFILE_OVERRIDES says so.',
        'DocumentReference.period: true, since FHIR_PROFILE_OVERRIDES says so.',
      ]),
    )
  })

  it('names the setting where it cannot be met', async () => {
    const { check } = await start(demandingAthenaPractice, 'r4', { DocumentReference: { encounter: true } })
    expect((await check(false))?.faults).toEqual([
      expect.stringMatching(/refused without an encounter.*\(FHIR_PROFILE_OVERRIDES\)$/),
    ])
  })
})
