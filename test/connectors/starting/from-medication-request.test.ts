import { readdirSync, readFileSync } from 'node:fs'
import type { Condition, Coverage, Medication, MedicationRequest, Patient, Practitioner } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { type ChartOrder, type DraftOptions, fromMedicationRequest } from '#pawl'
import { BenefitVerificationRequest } from '../../../src/service/schemas/benefit-verification.ts'
import { PriorAuthorizationRequest } from '../../../src/service/schemas/prior-authorization-request.ts'
import { type RequestGap, startedKinds } from '../../../src/service/schemas/request-draft.ts'

/** The day of all drafts: periods of the examples are compared with it. */
const at = new Date('2026-03-02T00:00:00Z')
const schemas = { prior_authorization: PriorAuthorizationRequest, benefit_verification: BenefitVerificationRequest }

interface Case {
  order: ChartOrder & { kind: keyof typeof schemas }
  options?: DraftOptions
}

const orders = new URL('../../fixtures/chart-orders/', import.meta.url)
// Each file is written for this test.
const read = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))
const readCase = (name: string) => read(new URL(`${name}.in.json`, orders)) as Case
const names = readdirSync(orders).flatMap((file) => (file.endsWith('.in.json') ? file.replace('.in.json', '') : []))

describe('a request from the records of a chart', () => {
  it.each(names)('%s', async (name) => {
    const { order, options } = readCase(name)
    const draft = fromMedicationRequest(order, { at, ...options })
    await expect(`${JSON.stringify(draft, undefined, 2)}\n`).toMatchFileSnapshot(
      new URL(`${name}.out.json`, orders).pathname,
    )
    if (draft.isComplete) expect(schemas[order.kind].safeParse(draft.request).success).toBe(true)
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
  const folder = new URL('../../fixtures/us-core/', import.meta.url)
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
    const file = new URL(`drafts/${kind}-${name}.json`, folder).pathname
    await expect(`${JSON.stringify(draft, undefined, 2)}\n`).toMatchFileSnapshot(file)
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
  const folder = new URL('../../fixtures/synthea/', import.meta.url)
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
  const none = 'the chart has none'
  const requester = 'the requester is not a practitioner of the chart'
  const reasons = 'the reasons have no code of ICD-10'
  const people = [
    ['patient.address.zip_postal_code', 'the address has no postal code'],
    ...['first_name', 'last_name', 'npi'].map((field) => [`provider.${field}`, requester]),
    ['insurance_content.member_number', none],
  ]
  const supply = ['quantity', 'days_supply', 'route_of_administration'].map((field) => [`prescription.${field}`, none])
  const routing = ['rx_bin', 'rx_pcn', 'rx_group'].map((field) => [`insurance_content.${field}`, none])
  const gaps = (list: readonly RequestGap[]) => list.map(({ field, says }) => [field, says])

  it('has all but what they lack, of an active prescription with a dosage', () => {
    const draft = fromMedicationRequest(lisinopril, { at })
    expect(draft.request).toHaveProperty('prescription', {
      drug_name: 'lisinopril',
      strength: '10 MG',
      dose_form: 'Oral Tablet',
      prescription_date: '2002-11-05T11:44:52-05:00',
    })
    expect(gaps(draft.missing)).toEqual([
      ...people,
      ['prescription.directions', 'a dosage has no words, and not all of it can be put into words'],
      ...supply,
    ])
    expect(gaps(draft.leftOut)).toEqual([...routing, ['prescription.ndc', none], ['diagnoses', reasons]])
  })

  it('has all but what they lack, of one that was stopped for a patient who died', () => {
    const draft = fromMedicationRequest(epoetin, { at })
    expect(draft.request).toMatchObject({
      provider: { first_name: 'Randy380', npi: '9999992198', address: { state_province: 'KS' } },
      prescription: { drug_name: 'Epoetin Alfa [Epogen]', strength: '4000 UNT/ML (1 ML)', dose_form: 'Injection' },
    })
    expect(gaps(draft.missing)).toEqual([
      ['prescription', 'not active'],
      ['patient', 'the patient has died'],
      ['insurance_content.member_number', none],
      ['prescription.directions', none],
      ...supply,
    ])
    expect(gaps(draft.leftOut)).toEqual([
      ...routing,
      ['insurance_content.payer_name', none],
      ['prescription.ndc', none],
      ['diagnoses', reasons],
    ])
  })

  it('is a BV by the name of the drug, with the same gaps of patient, prescriber and insurance', () => {
    const draft = fromMedicationRequest({ kind: 'benefit_verification', ...lisinopril }, { at })
    expect(draft.request).toHaveProperty('drugs', [{ name: 'lisinopril', dosage: '10 MG' }])
    expect(gaps(draft.missing)).toEqual([...people])
  })
})
