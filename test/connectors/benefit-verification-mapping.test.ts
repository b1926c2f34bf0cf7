import type { CoverageEligibilityResponse } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { createDigest } from '../../src/systems/digest.ts'
import { toCoverageEligibilityResponse } from '../../src/connectors/ehr/fhir/mapping/coverage-eligibility-response.ts'
import { coverageIdentifier, toCoverage } from '../../src/connectors/ehr/fhir/mapping/coverage.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { sampleBenefitVerification } from '../support/samples.ts'

const context = mappingContext()
const { base } = context

function map(different: Record<string, unknown> = {}): CoverageEligibilityResponse {
  const response = toCoverageEligibilityResponse(context, sampleBenefitVerification(different))
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
        insurer: { display: 'Sample Payer' },
        request: { identifier: { system: `${base}/benefit-verification`, value: 'bv_1' } },
      })
    })
  }

  it('is of the patient whom the chart knows', () => {
    expect(map().patient).toEqual(context.patient)
    expect(toCoverage(context, sampleBenefitVerification())?.beneficiary).toEqual(context.patient)
  })

  it('keeps the date on which it was first written', () => {
    const created = '2026-01-01T00:00:00.000Z'
    const later = toCoverageEligibilityResponse(context, sampleBenefitVerification(), { ...map(), created })
    expect(later.created).toBe(created)
  })

  for (const [status, inforce] of [
    ['covered', true],
    ['patient_not_found', false],
    ['coverage_expired', false],
    ['coverage_not_started', false],
    ['patient_not_covered_unspecified', false],
    ['human_unable_to_answer', undefined],
    ['missing_from_transcript', undefined],
    ['unknown', undefined],
    ['a_new_status', undefined],
    [null, undefined],
  ]) {
    it(`patient_coverage_status ${status}: insurance.inforce ${inforce ?? 'absent'}`, () => {
      expect(map({ patient_coverage_status: status }).insurance?.[0]?.inforce).toBe(inforce)
    })
  }

  it('names a drug by its NDC in 11 digits and as it was sent, or else by name and dosage', () => {
    expect(itemOf({ name: 'Exampline', ndc: '0000-0000-01' })?.productOrService).toEqual({
      coding: [{ system: 'http://hl7.org/fhir/sid/ndc', code: '00000000001' }],
      text: 'Exampline (NDC 0000-0000-01)',
    })
    expect(itemOf({ ndc: '0000000001' })?.productOrService).toEqual({ text: 'NDC 0000000001' })
    expect(itemOf({ name: 'Exampline', dosage: '10 mg' })?.productOrService).toEqual({ text: 'Exampline 10 mg' })
    expect(itemOf({})?.productOrService).toEqual({ text: 'Not stated' })
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

  it('describes how a drug was determined, and all content without an element of its own', () => {
    const drug = {
      name: 'Exampline',
      quantity: 30,
      has_active_prior_auth: true,
      coverage_detail_code: 'quantity_limit_pa_required',
      determination_details: { is_on_formulary: true, is_explicit_plan_exclusion: false },
    }
    const different = {
      drugs: [drug],
      pharmacy_benefit_manager_name: 'Sample PBM',
      patient_coverage_type: 'medicare',
      patient_plan_fund_source: 'question_not_asked',
      patient_coverage_status: 'human_unable_to_answer',
    }
    expect(map(different).insurance?.[0]?.item?.[0]?.description).toBe(
      'quantity_limit_pa_required; is_on_formulary: yes; is_explicit_plan_exclusion: no; has_active_prior_auth: yes; ' +
        'quantity: 30; pharmacy_benefit_manager: Sample PBM; plan_type: medicare; patient_coverage: human_unable_to_answer',
    )
  })

  it('names its error, with what the service says of it', () => {
    const error = {
      code: 'Patient Not Found',
      detail_code: 'incorrect_member_id',
      message: 'The member id is unknown.',
    }
    expect(map({ status: 'failed', error }).error).toEqual([
      { code: { text: 'Patient Not Found: incorrect_member_id. The member id is unknown.' } },
    ])
    expect(map({ status: 'failed', error: { title: 'Failed' } }).error).toEqual([{ code: { text: 'Failed' } }])
  })
})

describe('an insurance', () => {
  it('becomes a Coverage that the response points at', () => {
    const [record] = sampleBenefitVerification().insurance ?? []
    const insurance = [{ discrete_content: { ...record?.discrete_content, plan_name: 'Sample Plan' } }]
    const bv = sampleBenefitVerification({ insurance, patient_coverage_type: 'medicaid' })
    const coverage = toCoverage(context, bv)
    expect(coverage && faultsOf(coverage)).toEqual([])
    expect(coverage).toMatchObject({
      subscriberId: 'M-100',
      payor: [{ display: 'Sample Payer' }],
      relationship: { coding: [{ code: 'self' }] },
      type: { text: 'medicaid' },
    })
    expect(coverage?.class?.map(({ type, value }) => [type.coding?.[0]?.code, value])).toEqual([
      ['rxbin', '012345'],
      ['rxpcn', 'PCN1'],
      ['rxgroup', 'RXG1'],
      ['group', 'G-1'],
      ['plan', 'Sample Plan'],
    ])
    expect(map().insurance?.[0]?.coverage.identifier).toEqual(coverage?.identifier?.[0])
  })

  it('is one Coverage over all BVs of a patient, and another for another patient or member number', () => {
    const named = (different: Record<string, unknown>) =>
      coverageIdentifier({ base, digest: createDigest(Buffer.alloc(32)) }, sampleBenefitVerification(different))?.value
    const own = named({})
    expect(own).toMatch(/^[0-9a-f]{32}$/)
    expect(named({ id: 'bv_2' })).toBe(own)
    expect(named({ patient: { internal_id: 'patient-8' } })).not.toBe(own)
    expect(named({ insurance: [{ discrete_content: { member_number: 'M-200' } }] })).not.toBe(own)
  })

  it('keeps what an earlier verification told of it, and what staff added', () => {
    const earlier = toCoverage(context, sampleBenefitVerification({ patient_coverage_type: 'medicaid' }))
    const added = { type: { text: 'Tier' }, value: 'Gold' }
    const held = earlier && { ...earlier, class: [added, ...(earlier.class ?? [])] }
    const insurance = [{ discrete_content: { member_number: 'M-100', rx_bin: '999999', plan_name: 'Sample Plan' } }]
    const later = toCoverage(context, sampleBenefitVerification({ insurance }), held)
    expect(later && faultsOf(later)).toEqual([])
    expect(later).toMatchObject({ payor: [{ display: 'Sample Payer' }], type: { text: 'medicaid' } })
    expect(later?.class?.map(({ value }) => value)).toEqual(['999999', 'PCN1', 'RXG1', 'G-1', 'Sample Plan', 'Gold'])
    expect(toCoverage(context, sampleBenefitVerification({ insurance }), later)).toEqual(later)
  })

  it('without a member number, or of a patient without an id, has no Coverage, and the response names the payer', () => {
    const insurance = [{ discrete_content: { rx_bin: '012345', payer_name: 'Sample Payer' } }]
    for (const different of [{ insurance }, { patient: { mrn: 'MRN-0007' } }]) {
      expect(toCoverage(context, sampleBenefitVerification(different))).toBeUndefined()
      expect(map(different).insurance?.[0]?.coverage).toEqual({ type: 'Coverage', display: 'Sample Payer' })
    }
  })

  for (const [found, status] of [
    ['covered', 'active'],
    ['coverage_expired', 'cancelled'],
    ['patient_not_found', 'cancelled'],
    ['patient_not_covered_unspecified', 'cancelled'],
    ['coverage_not_started', 'draft'],
  ]) {
    it(`${found}: is ${status}, with or without an earlier Coverage`, () => {
      const bv = sampleBenefitVerification({ patient_coverage_status: found })
      const coverage = toCoverage(context, bv)
      expect(coverage && faultsOf(coverage)).toEqual([])
      const previous = coverage && { ...coverage, status: 'entered-in-error' as const }
      expect([coverage?.status, toCoverage(context, bv, previous)?.status]).toEqual([status, status])
    })
  }

  for (const found of ['human_unable_to_answer', 'missing_from_transcript', 'unknown', 'a_new_status', null]) {
    it(`${found}: is a draft until something is found out, and keeps what was found out before`, () => {
      const active = toCoverage(context, sampleBenefitVerification())
      const bv = sampleBenefitVerification({ patient_coverage_status: found })
      expect([toCoverage(context, bv)?.status, toCoverage(context, bv, active)?.status]).toEqual(['draft', 'active'])
    })
  }

  it('puts the two sides of one card together, and nothing of another card', () => {
    const front = { scanned_content: { member_number: 'M-1', payer_name: 'Sample Payer' } }
    const back = { scanned_content: { rx_bin: '012345' } }
    const other = { scanned_content: { member_number: 'M-2', rx_pcn: 'OTHER' } }
    const coverage = toCoverage(context, sampleBenefitVerification({ insurance: [front, back, other] }))
    expect(coverage?.subscriberId).toBe('M-1')
    expect(coverage?.class?.map(({ value }) => value)).toEqual(['012345'])
  })

  it('whose cards are unreadable has no Coverage', () => {
    const insurance = [{ scanned_content: { error: 'unreadable' } }]
    expect(toCoverage(context, sampleBenefitVerification({ insurance }))).toBeUndefined()
  })
})
