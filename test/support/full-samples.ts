import type { BenefitVerification } from '../../packages/client/src/schemas/benefit-verification.ts'
import type { PriorAuthorization } from '../../packages/client/src/schemas/prior-authorization.ts'
import { sampleBenefitVerification, sampleMessage, samplePriorAuthorization, sampleTransfer } from './samples.ts'

/** A denied PA of an invented patient with every field that a clinician may need, with what a test wants different. */
export function fullPriorAuthorization(different: Record<string, unknown> = {}): PriorAuthorization {
  return samplePriorAuthorization({
    url: 'https://service.example/requests/pa_req_1',
    status: 'completed',
    outcome: {
      result: 'Denied',
      detail_code: 'step_therapy_criteria_not_met',
      detail: 'Placebomycin has to be tried first.',
      client_code: 'CC-12',
    },
    diagnoses: [{ code: 'E11.9' }, { code: 'I10' }],
    prescription: {
      drug_name: 'Exampline',
      strength: '10 mg',
      dose_form: 'tablet',
      route_of_administration: 'oral',
      directions: 'One tablet daily',
      ndc: '0000-0000-01',
      quantity: 30,
      quantity_unit_of_measure: 'C48542',
      days_supply: 28,
      prescription_date: '2026-02-27T08:15:00Z',
    },
    priority: 1,
    pharmacy: { name: 'Sample Pharmacy' },
    ndp_submission: {
      prescription_message_id: 'rx_msg_1',
      preferred_pharmacy_ncpdp_id: '1234567',
      preferred_pharmacy_details: 'The one at the station',
    },
    resubmission_info: {
      previous_prior_auth_request_id: 'pa_req_0',
      note: 'With the missing letter',
      quantity_limit_exception_reason: 'Two doses a day',
    },
    is_appeal: true,
    patient_consent_required: false,
    submitted_by: { first_name: 'Sam', last_name: 'Submitter', email: 'sam@clinic.example' },
    reviewed_by: { first_name: 'Rita', last_name: 'Reviewer', email: 'rita@clinic.example' },
    triggered_benefit_verification_id: 'bv_9',
    out_of_pocket_costs: [{ amount_cents: 1999, supply_duration_days: 30 }],
    denial_reason_analysis: {
      categories: ['step_therapy'],
      explanation: 'No trial of Placebomycin is on record.',
      next_steps: 'Appeal the denial.',
      next_steps_explanation: 'A letter of medical necessity can say why it was not tried.',
    },
    message_thread: { is_resolved: false, messages: [sampleMessage()] },
    activity_log: [{ id: 'act_1', created_at: '2026-03-02T07:30:00Z', type: 'sent_fax', details: {} }],
    prescription_transfer: sampleTransfer({
      status: 'error',
      error_code: 'transfer_timed_out',
      confirmation_attempts: [{ timestamp: '2026-03-01T11:00:00Z', outcome: 'failed' }],
    }),
    real_time_benefits_check_response: {
      patient_cost: '$25.00',
      prior_auth_required: true,
      alternatives: [
        { product_id: 'p1', description: 'Placebomycin 250 mg', patient_cost: '$5.00', prior_auth_required: false },
      ],
    },
    eligibility_check_response: [
      {
        status: 'success',
        health_plan_name: 'Sample Health Plan',
        plan_type: 'medicare_advantage',
        effective_start_date: '2026-01-01',
        effective_end_date: '2026-12-31',
      },
      { status: 'error', error_code: 'E75', error_message: 'Subscriber not found' },
    ],
    ...different,
  })
}

/** A completed BV of an invented patient with every field that a clinician may need, with what a test wants different. */
export function fullBenefitVerification(different: Record<string, unknown> = {}): BenefitVerification {
  const [drug] = sampleBenefitVerification().drugs ?? []
  return sampleBenefitVerification({
    review_status: 'reviewed',
    diagnoses: [{ code: 'E11.9' }],
    patient_coverage_type: 'medicaid',
    patient_plan_fund_source: 'government',
    pharmacy_benefit_manager_name: 'Sample PBM',
    triggered_by_pa_id: 'pa_req_7',
    replaces: 'bv_0',
    replaced_by: 'bv_2',
    drugs: [
      {
        ...drug,
        has_active_prior_auth: true,
        determination_details: {
          is_on_formulary: true,
          is_explicit_plan_exclusion: false,
          is_prior_auth_acting_as_exception_request: true,
        },
      },
      {
        ndc: '00000-0000-02',
        quantity: 4,
        coverage: 'not_covered',
        coverage_detail_code: 'diagnoses_not_covered',
        prior_authorization_required: 'not_applicable',
        has_active_prior_auth: false,
      },
    ],
    ...different,
  })
}
