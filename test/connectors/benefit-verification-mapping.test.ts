import type { CoverageEligibilityResponse } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toCoverageEligibilityResponse } from '../../src/connectors/ehr/fhir/mapping/coverage-eligibility-response.ts'
import { toCoverage } from '../../src/connectors/ehr/fhir/mapping/coverage.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { sampleBenefitVerification } from '../support/samples.ts'

const base = 'https://clinic.example/id'
const now = '2026-03-01T12:00:00.000Z'

function map(different: Record<string, unknown> = {}): CoverageEligibilityResponse {
  const response = toCoverageEligibilityResponse(base, sampleBenefitVerification(different), {
    previous: undefined,
    now,
  })
  expect(faultsOf(response)).toEqual([])
  return response
}

const itemOf = (drug: Record<string, unknown>) => map({ drugs: [drug] }).insurance?.[0]?.item?.[0]

describe('a benefit verification', () => {
  for (const [status, outcome, resourceStatus] of [
    ['pending', 'queued', 'active'],
    ['completed', 'complete', 'active'],
    ['failed', 'error', 'active'],
    ['cancelled', 'queued', 'cancelled'],
    ['partially_verified', 'queued', 'active'],
  ]) {
    it(`${status}: is ${resourceStatus} and ${outcome}`, () => {
      expect(map({ status })).toMatchObject({
        status: resourceStatus,
        outcome,
        purpose: ['benefits', 'auth-requirements'],
        disposition: 'All drugs were verified.',
        request: { identifier: { system: `${base}/benefit-verification`, value: 'bv_1' } },
      })
    })
  }

  it('is of the same patient as the prior authorizations: by the id that the customer gave', () => {
    const patient = { type: 'Patient', identifier: { system: `${base}/patient`, value: 'patient-7' } }
    expect(map().patient).toEqual(patient)
  })

  for (const [status, inforce] of [
    ['covered', true],
    ['patient_not_found', false],
    ['coverage_expired', false],
    ['coverage_not_started', false],
    ['patient_not_covered_unspecified', false],
    ['human_unable_to_answer', false],
    ['missing_from_transcript', false],
    ['unknown', undefined],
    ['a_new_status', undefined],
    [null, undefined],
  ]) {
    it(`patient_coverage_status ${status}: insurance.inforce ${inforce ?? 'absent'}`, () => {
      expect(map({ patient_coverage_status: status }).insurance?.[0]?.inforce).toBe(inforce)
    })
  }

  it('names a drug by NDC, or else by name and dosage', () => {
    expect(itemOf({ ndc: '00000-0000-01' })?.productOrService).toEqual({
      coding: [{ system: 'http://hl7.org/fhir/sid/ndc', code: '00000-0000-01' }],
    })
    expect(itemOf({ name: 'Exampline', dosage: '10 mg' })?.productOrService).toEqual({ text: 'Exampline 10 mg' })
    expect(itemOf({ name: 'Exampline' })?.category).toBeUndefined()
  })

  for (const [coverage, excluded] of [
    ['covered', false],
    ['not_covered', true],
    [null, undefined],
    ['sometimes', undefined],
  ]) {
    it(`coverage ${coverage}: item.excluded ${excluded ?? 'absent'}`, () => {
      expect(itemOf({ name: 'Exampline', coverage })?.excluded).toBe(excluded)
    })
  }

  for (const [needed, required] of [
    ['yes', true],
    ['no', false],
    ['not_applicable', undefined],
    [null, undefined],
  ]) {
    it(`prior_authorization_required ${needed}: item.authorizationRequired ${required ?? 'absent'}`, () => {
      expect(itemOf({ name: 'Exampline', prior_authorization_required: needed })?.authorizationRequired).toBe(required)
    })
  }

  it('tells every copay: options in dollars by days of supply, and the words of the insurer', () => {
    const coding = [{ system: 'http://terminology.hl7.org/CodeSystem/benefit-type', code: 'copay' }]
    expect(map().insurance?.[0]?.item?.[0]?.benefit).toEqual([
      { type: { coding, text: 'Copay per 30-day supply' }, allowedMoney: { value: 19.99, currency: 'USD' } },
      { type: { coding, text: 'Copay per 90-day supply' }, allowedMoney: { value: 49.99, currency: 'USD' } },
      { type: { coding }, allowedString: '$19.99' },
    ])
  })

  it('describes how a drug was determined', () => {
    expect(map().insurance?.[0]?.item?.[0]?.description).toBe(
      'insurer_reported_value; is_on_formulary: yes; is_explicit_plan_exclusion: no',
    )
  })

  it('names its error', () => {
    const error = { code: 'Patient Not Found', detail_code: 'incorrect_member_id', message: 'Testa Sample is unknown' }
    expect(map({ status: 'failed', error }).error).toEqual([
      { code: { text: 'Patient Not Found: incorrect_member_id' } },
    ])
  })

  it('tells the insurance as a Coverage that the response points at', () => {
    const coverage = toCoverage(base, sampleBenefitVerification())
    expect(coverage && faultsOf(coverage)).toEqual([])
    expect(coverage).toMatchObject({ status: 'active', subscriberId: 'M-100', payor: [{ display: 'Sample Payer' }] })
    expect(coverage?.class?.map(({ type, value }) => [type.coding?.[0]?.code, value])).toEqual([
      ['rxbin', '012345'],
      ['rxpcn', 'PCN1'],
      ['rxgroup', 'RXG1'],
      ['group', 'G-1'],
    ])
    expect(map().insurance?.[0]?.coverage.identifier).toEqual(coverage?.identifier?.[0])
  })

  it('puts the two sides of one card together, and nothing of another card', () => {
    const front = { scanned_content: { member_number: 'M-1', payer_name: 'Sample Payer' } }
    const back = { scanned_content: { rx_bin: '012345' } }
    const other = { scanned_content: { member_number: 'M-2', rx_pcn: 'OTHER' } }
    const coverage = toCoverage(base, sampleBenefitVerification({ insurance: [front, back, other] }))
    expect(coverage?.subscriberId).toBe('M-1')
    expect(coverage?.class?.map(({ value }) => value)).toEqual(['012345'])
  })

  it('whose cards nobody could read has no Coverage', () => {
    const insurance = [{ scanned_content: { error: 'unreadable' } }]
    expect(toCoverage(base, sampleBenefitVerification({ insurance }))).toBeUndefined()
  })
})
