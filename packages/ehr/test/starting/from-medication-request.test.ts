import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Condition, Coverage, Medication, MedicationRequest, Patient, Practitioner } from 'fhir/r4.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ChartOrder, type DraftOptions, fromMedicationRequest } from '@pawl/ehr'
import { isWithin } from '../../src/fhir/starting/pick.ts'
import { BenefitVerificationRequest } from '../../../client/src/schemas/benefit-verification.ts'
import { PriorAuthorizationRequest } from '../../../client/src/schemas/prior-authorization-request.ts'
import { startedKinds } from '../../../client/src/schemas/request-draft.ts'
import { readJsonFixture } from '../../../../test/support/read-fixture.ts'

/** The day of all drafts: periods of the examples are compared with it. */
const at = new Date('2026-03-02T00:00:00Z')
const schemas = { prior_authorization: PriorAuthorizationRequest, benefit_verification: BenefitVerificationRequest }

interface Case {
  order: ChartOrder & { kind: keyof typeof schemas }
  options?: DraftOptions
}

const orders = new URL('../../../../test/fixtures/chart-orders/', import.meta.url)
// Each file is written for this test.
const read = (file: URL): unknown => readJsonFixture(fileURLToPath(file))
const readCase = (name: string) => read(new URL(`${name}.in.json`, orders)) as Case
const names = readdirSync(orders).flatMap((file) => (file.endsWith('.in.json') ? file.replace('.in.json', '') : []))
const expectDraft = (draft: object, file: URL) =>
  expect(`${JSON.stringify(draft, undefined, 2)}\n`).toMatchFileSnapshot(file.pathname)

const coverages = new URL('../../../../test/fixtures/coverages/', import.meta.url)
// As above.
const coverageOf = (name: string) => [read(new URL(`${name}.json`, coverages)) as Coverage | Coverage[]].flat()
/** The draft of an order for these coverages. */
const requested = (coverage: Coverage[], day = at) => {
  const { order } = readCase('pa-by-ndc')
  const beneficiary = { reference: 'Patient/p1' }
  return fromMedicationRequest({ ...order, coverage: coverage.map((each) => ({ ...each, beneficiary })) }, { at: day })
}

// A draft's request has it.
const insuranceOf = ({ request }: { request: unknown }) =>
  (request as Partial<PriorAuthorizationRequest>).insurance_content

describe('a request from the records of a chart', () => {
  it.each(names)('%s', async (name) => {
    const { order, options } = readCase(name)
    const draft = fromMedicationRequest(order, { at, ...options })
    await expectDraft(draft, new URL(`${name}.out.json`, orders))
    if (draft.isComplete) expect(schemas[order.kind].safeParse(draft.request).success).toBe(true)
  })

  it('has the number by which the PBM knows its member, alone or beside that of a medical plan', () => {
    for (const name of ['coverage-rxid', 'coverage-rxid-beside-medical']) {
      const insurance = insuranceOf(requested(coverageOf(name)))
      expect([name, insurance]).toMatchObject([
        name,
        { member_number: 'RX-TEST-0042', rx_bin: '610011', rx_pcn: 'SAMPLE', rx_group: 'GRP7' },
      ])
    }
  })

  it('asks for the number where a coverage has two of a PBM', () => {
    const [both] = coverageOf('coverage-rxid-beside-medical')
    const more = both?.class?.map((each) => ({ ...each, value: `${each.value}-B` })) ?? []
    const { missing } = requested([{ ...both, class: [...(both?.class ?? []), ...more] } as Coverage])
    expect(missing).toContainEqual(
      expect.objectContaining({ field: 'insurance_content.member_number', why: 'several' }),
    )
  })

  describe('where its day is', () => {
    const chosen = (timeZone: string, at: string) => {
      vi.stubEnv('TZ', timeZone)
      const coverages = coverageOf('coverage-changes-at-midnight').map((each) => ({ ...each, subscriberId: each.id }))
      return insuranceOf(requested(coverages, new Date(at)))?.member_number
    }
    afterEach(() => void vi.unstubAllEnvs())

    it('has the coverage of the day in the time zone of the process, until that day ends', () => {
      expect(chosen('America/New_York', '2026-11-01T00:30:00Z')).toBe('cov-old')
      expect(chosen('America/New_York', '2026-11-01T03:59:59Z')).toBe('cov-old')
      expect(chosen('America/New_York', '2026-11-01T04:00:00Z')).toBe('cov-new')
      expect(chosen('UTC', '2026-11-01T00:30:00Z')).toBe('cov-new')
      expect(chosen('Pacific/Auckland', '2026-10-31T12:00:00Z')).toBe('cov-new')
    })

    it('reads the end of a period that has a time in that zone, too', () => {
      vi.stubEnv('TZ', 'America/New_York')
      expect(isWithin({ end: '2026-11-01T03:59:59Z' }, '2026-10-31')).toBe(true)
      expect(isWithin({ end: '2026-11-01T03:59:59Z' }, '2026-11-01')).toBe(false)
      expect(isWithin({ start: '2026-11-01T03:59:59Z' }, '2026-10-31')).toBe(true)
      expect(isWithin({ start: '2026-10', end: '2026-10-31' }, '2026-10-31')).toBe(true)
      expect(isWithin({ start: '2026-11' }, '2026-10-31')).toBe(false)
    })
  })

  it('changes none of its input', () => {
    const given = readCase('pa-contained-medication')
    const before = JSON.stringify(given)
    fromMedicationRequest(given.order, { at, ...given.options })
    expect(JSON.stringify(given)).toBe(before)
  })

  it('refuses records of two patients', () => {
    const { order } = readCase('pa-by-ndc')
    const patient: Patient = { ...order.patient, id: 'another' }
    const others = [order.coverage ?? []]
      .flat()
      .map((each): Coverage => ({ ...each, beneficiary: { reference: 'Patient/another' } }))
    expect(() => fromMedicationRequest({ ...order, patient })).toThrow(TypeError)
    expect(() => fromMedicationRequest({ ...order, coverage: others })).toThrow(TypeError)
  })
})

describe("a request from US Core's own examples", () => {
  const folder = new URL('../../../../test/fixtures/us-core/', import.meta.url)
  const example = (name: string) => read(new URL(`${name}.json`, folder))
  const cases = ['medicationrequest-coded-oral-axid', 'medicationrequest-referenced-oral-axid', 'self-tylenol'].flatMap(
    (name) => startedKinds.map((kind) => [kind, name] as const),
  )

  it.each(cases)('%s of %s', async (kind, name) => {
    const isReferenced = name.includes('referenced')
    const order: ChartOrder = {
      medicationRequest: example(`MedicationRequest-${name}`) as MedicationRequest,
      patient: example('Patient-example') as Patient,
      coverage: [example('Coverage-coverage-example') as Coverage],
      practitioner: name === 'self-tylenol' ? undefined : (example('Practitioner-practitioner-1') as Practitioner),
      conditions: isReferenced ? [example('Condition-condition-duodenal-ulcer') as Condition] : [],
      medication: isReferenced ? (example('Medication-uscore-med2') as Medication) : undefined,
    }
    const draft = fromMedicationRequest({ kind, ...order }, { at })
    await expectDraft(draft, new URL(`drafts/${kind}-${name}.json`, folder))
    expect(draft.isComplete).toBe(false)
  })

  it('becomes complete with the gaps filled by hand', () => {
    const order: ChartOrder = {
      medicationRequest: example('MedicationRequest-medicationrequest-coded-oral-axid') as MedicationRequest,
      patient: example('Patient-example') as Patient,
      coverage: example('Coverage-coverage-example') as Coverage,
      practitioner: example('Practitioner-practitioner-1') as Practitioner,
    }
    const given = { 'patient.gender': 'female', 'prescription.route_of_administration': 'oral' }
    const draft = fromMedicationRequest(order, { at, given })
    expect(draft.missing).toEqual([])
    expect(PriorAuthorizationRequest.safeParse(draft.request).success).toBe(true)
  })
})

describe("a request from Synthea's records", () => {
  const folder = new URL('../../../../test/fixtures/synthea/', import.meta.url)
  const [patient, condition] = ['d5582579-7193-4866-5560-a01e723b6552', '38863302-dad7-21ad-032c-2a53d4f04f96']
  /** As a server keeps it that took the bundle (FHIR R4, transaction: references within it are replaced). */
  const record = (name: string): unknown =>
    JSON.parse(
      readFileSync(new URL(`${name}.json`, folder), 'utf8')
        .replaceAll(`urn:uuid:${patient}`, `Patient/${patient}`)
        .replaceAll(`urn:uuid:${condition}`, `Condition/${condition}`),
    )
  // Each file holds a resource of the type that its name begins with.
  const lisinopril = {
    medicationRequest: record('MedicationRequest-lisinopril') as MedicationRequest,
    patient: record('Patient-randolph') as Patient,
    coverage: record('Coverage-of-a-claim') as Coverage,
    conditions: [record('Condition-hypertension') as Condition],
  }
  const epoetin = {
    medicationRequest: record('MedicationRequest-epoetin') as MedicationRequest,
    patient: record('Patient-emporia') as Patient,
    practitioner: record('Practitioner') as Practitioner,
  }
  it.each<[(typeof startedKinds)[number], string, ChartOrder]>([
    ['prior_authorization', 'lisinopril', lisinopril],
    ['benefit_verification', 'lisinopril', lisinopril],
    ['prior_authorization', 'epoetin', epoetin],
  ])('%s of %s', async (kind, name, order) => {
    await expectDraft(fromMedicationRequest({ kind, ...order }, { at }), new URL(`drafts/${kind}-${name}.json`, folder))
  })
})
