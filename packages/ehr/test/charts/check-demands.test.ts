import { afterEach, describe, expect, it } from 'vitest'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile, TypeRules } from '../../../../test/support/charts/profile.ts'
import { demandingProfiles } from '../../../../test/support/charts/profiles.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { takes, writtenTypes } from './chart-reading.ts'
import { createChartEhr, token } from './connect.ts'
import { populate, prescriberId, prescriberNpi } from './people.ts'
import { priorAuthorizationCases } from './prior-authorization-cases.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

interface Given {
  options?: Partial<FhirEhrOptions>
  write?: boolean
  npi?: string | undefined
  prepare?: (chart: Chart) => void
}

const author = { display: 'Prior authorization service' }
const encounter = { kind: 'newest', days: 30 } as const

async function check(profile: ChartProfile, { options = {}, write = false, npi = prescriberNpi, prepare }: Given = {}) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  prepare?.(chart)
  const before = new Set(resourcesOf(chart).map(({ name }) => name))
  const system = createChartEhr(chart, {
    profile: profile.pawlProfile,
    messageRecipient: 'Group/prior-authorizations',
    ...('Encounter' in profile.types && { encounter }),
    ...options,
  })
  const sample = { patient: '0007', write, npi }
  const { ok, findings = [], faults = [] } = (await system.check?.(AbortSignal.timeout(20_000), sample)) ?? {}
  if (!write) expect(chart.writes).toEqual([])
  const left = resourcesOf(chart).filter(({ name }) => !before.has(name))
  return { chart, ok, faults, text: findings.join('\n'), left }
}

const types = [
  'Encounter',
  'DocumentReference',
  'Task',
  'Communication',
  'ClaimResponse',
  'CoverageEligibilityResponse',
  'Coverage',
] as const

function resourcesOf(chart: Chart): { name: string; status: string | undefined }[] {
  return types.flatMap((type) => chart.all(type).map(({ id, status }) => ({ name: `${type}/${id}`, status })))
}

const kinds = [
  'note',
  'prior-authorization',
  'benefit-verification',
  'attachment',
  'letter',
  'fax_sent',
  'fax_received',
  'other',
]

describe.each(demandingProfiles)('the check of $name', (profile) => {
  it('names the profile, and finds no fault where all is set', async () => {
    const { ok, text, faults } = await check(profile)
    expect(text).toMatch(
      new RegExp(`^Profile ${profile.pawlProfile ?? '(epic|oracle-health|canvas|athenapractice|medplum)'} `, 'm'),
    )
    expect(faults).toEqual([])
    expect(ok).toBe(true)
  })

  /** Vendors of whom no source says what is kept: a trial shows it. */
  const isUntold = profile === demandingEpic || profile === demandingAthenaPractice

  it('says what will be missing, which is what the matrix misses', async () => {
    const { chart, text } = await check(profile)
    const [, taken] =
      /^DocumentReference: of a file other than (.*), staff are told, or its text is filed\.$/m.exec(text) ?? []
    for (const { contentType } of priorAuthorizationCases().flatMap(({ files }) => files))
      expect(taken?.split(', ').includes(contentType)).toBe(profile.documentTypes?.includes(contentType))
    for (const type of writtenTypes) {
      const isMissing = new RegExp(`^${type}: not written, since .*\\. Missing from the chart: .+\\.$`, 'm').test(text)
      expect([type, isMissing]).toEqual([type, !takes(chart, type, 'create')])
      const [, unkept] = new RegExp(`^${type}: the chart does not keep (.*)\\.$`, 'm').exec(text) ?? []
      const hidden = takes(chart, type, 'create') && !isUntold ? profile.types[type]?.hides : undefined
      expect([type, unkept?.split(', ').toSorted()]).toEqual([type, hidden?.toSorted()])
    }
  })

  it('writes one of each kind, says what is kept, and takes back all that it does not name', async () => {
    const { chart, ok, faults, text, left } = await check(profile, { write: true })
    expect(faults).toEqual([])
    expect(ok).toBe(true)
    const resources = writtenTypes.filter((type) => type !== 'DocumentReference' && takes(chart, type, 'create'))
    const documents = [...kinds, ...(resources.includes('Communication') ? [] : ['message'])]
    const tried = [...text.matchAll(/^(\S+): written to the test patient and read back/gm)].map(([, what = '']) => what)
    expect(tried.toSorted()).toEqual(
      [
        ...documents.map((kind) => `DocumentReference/${kind}`),
        // Of a PA, of its transfer and for staff.
        ...resources.flatMap((type) => (type === 'Task' ? [type, type, type] : [type])),
      ].toSorted(),
    )
    const [, notKept = ''] = /^DocumentReference\/note: .*; not kept: ([^;\n]*)/m.exec(text) ?? []
    const note = chart.sent.find(({ resourceType }) => resourceType === 'DocumentReference') ?? {}
    for (const element of profile.types.DocumentReference?.hides ?? [])
      if (element in note) expect(notKept).toMatch(new RegExp(`(^|, )${element}\\b`))
    const withdrawn = ['entered-in-error', 'cancelled']
    const staying = left.filter(({ status }) => !withdrawn.includes(status ?? ''))
    for (const { name } of staying) expect(text).toMatch(new RegExp(`^Stays in the chart.*: delete .*${name}[ ,]`, 'm'))
    if (staying.length === 0) expect(text).not.toContain('Stays in the chart')
    expect(text).not.toMatch(/Testa|1970|Test of a connection/)
  })
})

describe('a type that a chart does not take', () => {
  const work = 'PAs and transfers in work lists, staff tasks; the state of a PA is in its document'
  const messages = 'the messages of a PA; each is filed as a document'
  const determination = "the payer's determination as a coded resource; the document of the PA says it"

  it.each<[ChartProfile, string, string, string]>([
    [demandingEpic, 'Task', 'Epic takes Tasks of community referrals alone', work],
    [demandingEpic, 'Communication', 'Epic takes messages of community referrals alone', messages],
    [demandingEpic, 'ClaimResponse', 'the server has no ClaimResponse', determination],
    [demandingOracleHealth, 'Task', 'the server has no Task', work],
    [demandingOracleHealth, 'Communication', 'FHIR_MESSAGE_RECIPIENT names no Practitioner or Group', messages],
    [demandingCanvas, 'Communication', 'Canvas shows messages to the patient', messages],
    [demandingAthenaPractice, 'Task', 'the server has no Task', work],
    [demandingAthenaPractice, 'Communication', 'the server has no Communication', messages],
  ])(
    'is said of $name, type by type, with the reason and where it is instead',
    async (profile, type, reason, missing) => {
      const { ok, faults, text } = await check(profile, { options: { messageRecipient: undefined } })
      expect([ok, faults]).toEqual([true, []])
      expect(text.split('\n')).toContain(`${type}: not written, since ${reason}. Missing from the chart: ${missing}.`)
    },
  )

  it('is the author, where the credentials may not look for practitioners or the chart finds none, which is no fault', async () => {
    const refused = await check(demandingEpic, { prepare: (chart) => chart.refuse('Practitioner', 403) })
    expect([refused.ok, refused.faults]).toEqual([true, []])
    expect(refused.text).toMatch(/^Practitioner: cannot be read: .*; give the credentials system\/Practitioner\.s\.$/m)
    const { ok, faults, text } = await check(without(demandingEpic, 'Practitioner'))
    expect([ok, faults]).toEqual([true, []])
    expect(text).toMatch(/^DocumentReference: written without a practitioner of the chart, which finds none by NPI/m)
  })
})

const without = (profile: ChartProfile, type: 'Practitioner' | 'Encounter'): ChartProfile => ({
  ...profile,
  types: Object.fromEntries(Object.entries(profile.types).filter(([name]) => name !== type)),
})

describe('a demand of a chart that is not met', () => {
  it.each<[string, ChartProfile, Given, RegExp]>([
    [
      'no rule for encounters',
      demandingEpic,
      { options: { encounter: undefined } },
      /refused without an encounter: set FHIR_ENCOUNTER.*1046/,
    ],
    [
      'no encounters to find',
      without(demandingEpic, 'Encounter'),
      { options: { encounter } },
      /FHIR_ENCOUNTER needs encounters that are found by patient/,
    ],
    [
      'encounters that the chart does not take',
      demandingEpic,
      { options: { encounter: { kind: 'create' } } },
      /FHIR_ENCOUNTER=create needs encounters that are created and found by identifier: set another rule/,
    ],
    [
      'a content type that is refused',
      demandingEpic,
      { options: { documents: { author, formats: ['application/xhtml+xml'] } } },
      /application\/xhtml\+xml is refused: leave FHIR_DOCUMENT_FORMATS out, or name of text\/plain/,
    ],
    [
      'a type that the vendor takes for another purpose',
      demandingEpic,
      { options: { strategies: { Task: 'remember' } } },
      /Task: refused, since Epic takes Tasks of community referrals alone: take Task=remember out of FHIR_STRATEGIES/,
    ],
    [
      'no practitioner to find',
      without(demandingAthenaPractice, 'Practitioner'),
      {},
      /DocumentReference: refused without a practitioner.*FHIR_DOCUMENT_AUTHOR=Practitioner/,
    ],
    [
      'an author whom the chart does not have',
      demandingCanvas,
      { options: { documents: { author: { reference: 'Practitioner/nobody' } } } },
      /FHIR_DOCUMENT_AUTHOR names a practitioner whom the chart does not have/,
    ],
  ])(
    '%s: is said with the setting that mends it, and a trial finds it refused',
    async (_, profile, given, sentence) => {
      const checked = await check(profile, given)
      expect(checked.faults).toEqual([expect.stringMatching(sentence)])
      expect(checked.ok).toBe(false)
      const tried = await check(profile, { ...given, write: true })
      expect(tried.ok).toBe(false)
      expect(
        tried.faults.filter((fault) => /was refused|Not tried on the test patient/.test(fault)).length,
      ).toBeGreaterThan(0)
    },
  )

  it.each<[string, ChartProfile, Given, RegExp]>([
    [
      'updates where there are none',
      demandingAthenaPractice,
      { options: { strategies: { DocumentReference: 'remember' } } },
      /DocumentReference: updates are refused.*set DocumentReference=create in FHIR_STRATEGIES/,
    ],
    [
      'updates in a form that is only created',
      demandingOracleHealth,
      { options: { documents: { author, formats: ['text/plain'] }, strategies: { DocumentReference: 'remember' } } },
      /DocumentReference: updates are refused.*set DocumentReference=create in FHIR_STRATEGIES/,
    ],
    [
      'more attachments than one',
      demandingOracleHealth,
      { options: { documents: { author, formats: ['text/html', 'application/pdf'] } } },
      /only text\/html of the 2 FHIR_DOCUMENT_FORMATS is sent/,
    ],
    [
      'updates of one kind of document',
      demandingCanvas,
      { options: { strategies: { 'DocumentReference/note': 'remember' } } },
      /DocumentReference\/note: updates are refused.*set DocumentReference\/note=create/,
    ],
    [
      'no right to look for encounters',
      demandingEpic,
      { prepare: (chart) => chart.refuse('Encounter', 403) },
      /^Encounter: cannot be searched: .*; give the credentials system\/Encounter\.s\.$/,
    ],
    [
      'no right to look for practitioners',
      demandingCanvas,
      { prepare: (chart) => chart.refuse('Practitioner', 403) },
      /^Practitioner: cannot be read: .*; give the credentials system\/Practitioner\.s\.$/,
    ],
  ])('%s: is said with its remedy', async (_, profile, given, sentence) => {
    const { ok, faults } = await check(profile, given)
    expect([ok, faults]).toEqual([false, [expect.stringMatching(sentence)]])
  })

  it.each([true, false])(
    'of an encounter is met by one that pawl creates, and takes back (deletes: %s)',
    async (deletes) => {
      const rules: TypeRules = {
        interactions: ['read', 'search-type', 'create', ...(deletes ? (['delete'] as const) : (['update'] as const))],
        searchParams: ['_id', 'identifier', 'patient'],
        versioning: 'no-version',
      }
      const profile = { ...demandingEpic, types: { ...demandingEpic.types, Encounter: rules } }
      const options = { encounter: { kind: 'create' } } as const
      expect(await check(profile, { options })).toMatchObject({ ok: true, faults: [] })
      const { ok, faults, text, left } = await check(profile, { options, write: true })
      expect([ok, faults]).toEqual([true, []])
      expect(text).toMatch(deletes ? /^Taken back, deleted again: Encounter/m : /^Taken back, marked as .*: Encounter/m)
      const encounters = left.filter(({ name }) => name.startsWith('Encounter/'))
      expect(encounters.map(({ status }) => status)).toEqual(deletes ? [] : ['entered-in-error'])
    },
  )

  it('is met by a practitioner whom a setting names, also without an NPI', async () => {
    const documents = { author: { reference: `Practitioner/${prescriberId}` } }
    const { ok, faults } = await check(demandingCanvas, { options: { documents }, write: true, npi: undefined })
    expect([ok, faults]).toEqual([true, []])
  })

  it('of a practitioner cannot be tried without an NPI, which the check says', async () => {
    const { faults } = await check(demandingAthenaPractice, { write: true, npi: '' })
    expect(faults).toEqual([
      expect.stringMatching(
        /^Not tried on the test patient: The chart demands a practitioner.*FHIR_DOCUMENT_AUTHOR\. For this check, --npi names a prescriber/,
      ),
    ])
  })
})

it('a chart that states no name that pawl knows is said to be one of FHIR R4, with the setting that says otherwise', async () => {
  const { text } = await check(everything)
  expect(text).toMatch(/^Profile r4: .*FHIR_PROFILE names one/m)
})

it('an element that a chart throws away, changes or adds is named by its path, and by nothing else', async () => {
  const { DocumentReference: rules } = everything.types
  const untidy: TypeRules = {
    ...(rules ?? { interactions: [], searchParams: [], versioning: 'versioned' }),
    drops: ['docStatus'],
    complete: (resource) =>
      resource.resourceType === 'DocumentReference'
        ? {
            ...resource,
            category: [{ text: 'a value of the chart' }],
            custodian: { display: 'another value' },
            content: resource.content.map(({ attachment: { title: _title, ...attachment } }) => ({ attachment })),
          }
        : resource,
  }
  const { text } = await check(
    { ...everything, types: { ...everything.types, DocumentReference: untidy } },
    { write: true },
  )
  const [line = ''] = /^DocumentReference\/note: .*$/m.exec(text) ?? []
  expect(line).toMatch(/; not kept: .*docStatus.*content\[0\]\.attachment\.title/)
  expect(line).toMatch(/not kept: .*category\[0\]\.coding/)
  expect(line).toMatch(/; added: custodian/)
  expect(text).not.toContain('value')
})
