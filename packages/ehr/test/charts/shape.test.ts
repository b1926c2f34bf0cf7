import type { DocumentReference } from 'fhir/r4.js'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChartFile, ShapeContext, ShapeResource } from '@pawl/ehr'
import type { Remembered } from '../../../base/src/system-notes.ts'
import { storedTypes } from '../../src/fhir/chart-types.ts'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { TypeRules } from '../../../../test/support/charts/profile.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun, type TestRun } from '../../../../test/support/run-context.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePriorAuthorization,
  sampleTransfer,
} from '../../../../test/support/samples.ts'
import { createChartEhr, token } from './connect.ts'
import { plain } from './plain.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const patient = { mrn: '0007', internal_id: '1007', date_of_birth: '1970-01-31' }
const pa = (status: string, different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ patient, status, ...different })

const fax: ChartFile = {
  key: 'fax-1',
  kind: 'fax_received',
  title: 'Fax received from the payer',
  contentType: 'application/pdf',
  content: Buffer.from('%PDF-1.7 an invented fax'),
}

async function start(profile: typeof everything, options: Partial<FhirEhrOptions> = {}) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  chart.seedPatient({ mrn: '0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  /** The connector as a process starts it. */
  const connect = (different: Partial<FhirEhrOptions> = {}) =>
    createChartEhr(chart, {
      ...options,
      ...different,
    })
  const written = () => chart.writes.filter(({ status }) => status < 300).length
  return { chart, connect, written }
}

const url = 'https://clinic.example/department'
const ofDepartment =
  (name: string): ShapeResource =>
  (resource) =>
    resource.resourceType === 'DocumentReference'
      ? {
          ...resource,
          description: `Pharmacy: ${resource.description?.replace(/^Pharmacy: /, '')}`,
          extension: [{ url, valueString: name }],
        }
      : resource

const documents = (chart: Chart) => chart.all('DocumentReference')

/** The differences that a look at all that is remembered finds. */
async function verify(system: ReturnType<typeof createChartEhr>, run: TestRun, chart: Chart) {
  const memory = new Map<string, Remembered>()
  for (const type of storedTypes)
    for (const { identifier } of chart.all(type)) {
      const [{ system: of = '', value } = {}] = [identifier ?? []].flat()
      const role = `${type} ${of.split('/').at(-1)}/${value}`
      const remembered = await run.memory.read(role)
      if (remembered !== undefined) memory.set(role, remembered)
    }
  const found = await system.verify?.(memory, run)
  return found?.records.flatMap(({ type, is }) => (type === 'DocumentReference' ? is : []))
}

describe.each([plain, everything])('the shape of a fork, on the chart $name', (profile) => {
  it('is what the chart gets, and stays the same through repeats, restarts and doubts', async () => {
    const { chart, connect, written } = await start(profile, { shape: ofDepartment('Pharmacy desk') })
    const run = createTestRun()
    await connect().open(run).putPriorAuthorization(pa('awaiting_outcome'))
    const shaped = {
      description: expect.stringMatching(/^Pharmacy: Prior/),
      extension: [{ url, valueString: 'Pharmacy desk' }],
    }
    expect(documents(chart)).toEqual([expect.objectContaining(shaped)])
    const before = written()
    await connect().open(run).putPriorAuthorization(pa('awaiting_outcome'))
    await connect()
      .open({ ...run, inDoubt: true })
      .putPriorAuthorization(pa('awaiting_outcome'))
    expect(written()).toBe(before)
    expect(await verify(connect(), run, chart)).toEqual(['same'])
    await connect()
      .open(run)
      .putPriorAuthorization(pa('completed', { outcome: { result: 'Approved' } }))
    expect(documents(chart)).toEqual([expect.objectContaining(shaped)])
  })

  it('that changes is written once, and takes back what it no longer says', async () => {
    const { chart, connect, written } = await start(profile)
    const run = createTestRun()
    await connect({ shape: ofDepartment('Pharmacy desk') })
      .open(run)
      .putPriorAuthorization(pa('awaiting_outcome'))
    const before = written()
    await connect({ shape: ofDepartment('Front desk') })
      .open(run)
      .putPriorAuthorization(pa('awaiting_outcome'))
    expect(documents(chart)[0]?.extension).toEqual([{ url, valueString: 'Front desk' }])
    await connect().open(run).putPriorAuthorization(pa('awaiting_outcome'))
    expect(documents(chart)[0]).not.toHaveProperty('extension')
    expect(written()).toBe(before + 2)
  })

  it('may add labels, beside those of staff', async () => {
    const label = { system: 'https://clinic.example/labels', code: 'pa' }
    const { chart, connect } = await start(profile, { shape: (each) => ({ ...each, meta: { tag: [label] } }) })
    const run = createTestRun()
    await connect().open(run).putPriorAuthorization(pa('awaiting_outcome'))
    const theirs = { system: 'https://clinic.example/labels', code: 'urgent' }
    const id = documents(chart)[0]?.id ?? ''
    chart.edit('DocumentReference', id, (held) => void held.meta?.tag?.push(theirs))
    await connect()
      .open(createTestRun({ ...run, inDoubt: true }))
      .putPriorAuthorization(pa('completed'))
    expect(documents(chart)[0]?.meta?.tag).toEqual([label, theirs])
  })
})

describe('the shape of a fork', () => {
  it('is asked for every type and kind, and told of what and for whom', async () => {
    const asked = new Map<string, ShapeContext>()
    const Encounter: TypeRules = {
      interactions: ['read', 'search-type', 'create'],
      searchParams: ['identifier'],
      versioning: 'versioned',
    }
    const withEncounters = { ...everything, types: { ...everything.types, Encounter } }
    const { chart, connect } = await start(withEncounters, {
      encounter: { kind: 'create' },
      shape(resource, context) {
        asked.set(context.kind ?? resource.resourceType, context)
        return resource.resourceType === 'Encounter' ? { ...resource, serviceType: { text: 'Pharmacy' } } : resource
      },
    })
    const ehr = connect().open(createTestRun())
    const whole = pa('completed', {
      outcome: { result: 'Approved' },
      prescription_transfer: sampleTransfer(),
      message_thread: { messages: [sampleMessage()] },
    })
    await ehr.putPriorAuthorization(whole)
    await ehr.putPrescriptionTransfer(whole)
    for (const message of whole.message_thread?.messages ?? [])
      await ehr.putMessage(whole, message, [{ ...fax, kind: 'attachment' }])
    await ehr.putFile(whole, fax)
    await ehr.putNote(whole, { key: 'n', title: 'Call', text: 'They will answer.' })
    await ehr.putBenefitVerification(sampleBenefitVerification({ patient }))
    const kinds = ['prior-authorization', 'benefit-verification', 'attachment', 'fax_received', 'note']
    expect([...asked.keys()].toSorted((a, b) => a.localeCompare(b))).toEqual(
      [...storedTypes.filter((type) => type !== 'DocumentReference'), 'Encounter', ...kinds].toSorted((a, b) =>
        a.localeCompare(b),
      ),
    )
    for (const what of ['note', 'Encounter']) {
      const { subject, patient: whom, profile } = asked.get(what) ?? {}
      expect([subject?.id, whom?.reference, profile]).toEqual(['pa_req_1', expect.stringMatching(/^Patient\//), 'r4'])
    }
    expect(chart.all('Encounter').map(({ serviceType }) => serviceType)).toEqual([{ text: 'Pharmacy' }])
  })

  it.each<[string, (resource: DocumentReference) => object]>([
    ['identifier', (resource) => ({ ...resource, identifier: [] })],
    ['patient', (resource) => ({ ...resource, subject: { reference: 'Patient/another' } })],
    ['type', (resource) => ({ ...resource, resourceType: 'Basic' })],
  ])('that changes the %s is refused, and nothing is written', async (_, change) => {
    const { chart, connect } = await start(everything, {
      // The compiler would refuse it, and JavaScript would not.
      shape: (each) => (each.resourceType === 'DocumentReference' ? change(each) : each) as typeof each,
    })
    await expect(connect().open(createTestRun()).putFile(pa('processing'), fax)).rejects.toMatchObject({
      code: 'shape_invalid',
      retry: 'never',
    })
    expect(chart.writes).toEqual([])
  })
})

describe('a strategy for one kind of document', () => {
  it('leaves out that kind alone, looks for no patient for it, and says so', async () => {
    const leftOut: unknown[] = []
    const { chart, connect } = await start(everything, {
      strategies: { 'DocumentReference/fax_received': 'skip', 'DocumentReference/fax_sent': 'skip' },
    })
    const run = createTestRun({ leftOut: (each) => void leftOut.push(each) })
    await connect().open(run).putFile(pa('processing'), fax)
    expect(chart.requests.has('GET Patient')).toBe(false)
    expect(leftOut).toEqual([{ type: 'DocumentReference/fax_received', reason: 'FHIR_STRATEGIES says so' }])
    await connect()
      .open(run)
      .putFile(pa('processing'), { ...fax, key: 'letter-1', kind: 'letter', title: 'Letter' })
    expect(documents(chart).map(({ description }) => description)).toEqual([
      expect.stringMatching(/^Letter, .*prior authorization \S+$/),
    ])
    expect(await connect().takes?.()).not.toContain('DocumentReference/fax_received')
    expect(await connect({ strategies: {} }).takes?.()).toContain('DocumentReference/fax_received')
  })
})
