import { z } from 'zod'
import { priorAuthorizationStatuses } from '../../resources/prior-authorization.ts'
import { benefitVerificationStatuses } from '../../resources/benefit-verification.ts'
import { BenefitVerificationRequest } from '../../resources/requests/benefit-verification.ts'
import { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import { QuestionnaireRequest, VisitNoteRequest } from '../../resources/requests/evidence.ts'
import { patientCoverageStatuses } from '../../resources/benefit-verification.ts'
import { detailCodes, MockResultRequest, transferErrorCodes } from '../../resources/requests/mock-result.ts'
import {
  diagnosesRequest,
  InsuranceContentRequest,
  PartialAddress,
  PatientRequest,
  ProviderRequest,
} from '../../resources/requests/people.ts'
import {
  CodedPrescription,
  NamedPrescription,
  NdpSubmissionRequest,
} from '../../resources/requests/prior-authorization.ts'
import { date, dateTime } from '../../resources/requests/text.ts'

const string = z.string()
const costs = z.array(z.strictObject({ amount_cents: z.int(), supply_duration_days: z.int() }))
const flag = z.boolean()

/** What came of an insurance document (specification, Insurance record). */
export const InsuranceRecord = z.strictObject({
  scanned_content: z.union([InsuranceContentRequest, z.strictObject({ error: string })]),
  discrete_content: InsuranceContentRequest,
  url: string,
})

/** The result of a PA; `result` of `Pending` is a placeholder (supplement, PA outcome). */
export const Outcome = z.strictObject({
  result: z.enum(['Approved', 'Denied', 'Not Submitted', 'Other', 'Pending']),
  detail: string.nullable(),
  detail_code: z.enum([...new Set(Object.values(detailCodes).flat())]).nullable(),
  client_code: string.nullish(),
  authorization_start_date: date.optional(),
  authorization_expiration: date.optional(),
})

export const Message = z.strictObject({
  id: string,
  timestamp: dateTime,
  content: string,
  sent_by_name: string,
  direction: z.enum(['sent', 'received']),
  is_resolution: flag,
  attachments: z.array(z.strictObject({ id: string, file_name: string, url: string })),
})

const activity = { id: string, created_at: dateTime }
export const Activity = z.union([
  z.strictObject({
    ...activity,
    type: z.enum(['sent_fax', 'received_fax']),
    details: z.strictObject({ url: string }),
  }),
  z.strictObject({
    ...activity,
    type: z.literal('follow_up_call'),
    details: z.strictObject({ notes: string, recording_url: string.nullable(), transcript: string.nullable() }),
  }),
])

export const PrescriptionTransfer = z.strictObject({
  status: z.enum(['in_progress', 'awaiting_provider_response', 'completed', 'cancelled', 'error']),
  confirmed: flag,
  error_code: z.enum(transferErrorCodes).nullable(),
  transfer_attempts: z.array(z.strictObject({ timestamp: dateTime, pharmacy_ncpdp_id: string })),
  confirmation_attempts: z.array(z.strictObject({ timestamp: dateTime, outcome: z.enum(['success', 'failed']) })),
})

const BenefitsCheck = z.strictObject({
  patient_cost: string,
  prior_auth_required: flag,
  alternatives: z.array(
    z.strictObject({ product_id: string, description: string, patient_cost: string, prior_auth_required: flag }),
  ),
})

const EligibilityItem = z.union([
  z.strictObject({
    status: z.literal('success'),
    health_plan_name: string,
    plan_type: z.enum(['medicare', 'medicare_advantage', 'medicaid', 'tricare']).nullable(),
    rx_bin: string.nullable(),
    rx_pcn: string.nullable(),
    rx_grp: string.nullable(),
    effective_start_date: date,
    effective_end_date: date.nullable(),
  }),
  z.strictObject({ status: z.literal('error'), error_code: string, error_message: string, action_code: string }),
])

const Person = z.strictObject({ first_name: string, last_name: string, email: string })
const ShownEvidence = z.strictObject({
  title: string,
  date_created: dateTime,
  document_date: z.union([date, dateTime]).optional(),
  content: z.unknown().optional(),
  asset: z.strictObject({ url: string, file_type: string.nullable() }).optional(),
})

/** A PA as GET returns it and its events carry it (specification, PA resource; supplement, further fields). */
export const PriorAuthorizationResource = z.strictObject({
  id: string,
  object: z.literal('prior_authorization'),
  url: string,
  status: z.enum(priorAuthorizationStatuses),
  outcome: Outcome,
  patient: PatientRequest,
  provider: ProviderRequest.extend({ address: PartialAddress }),
  insurance: z.array(InsuranceRecord),
  prescription: z.union([NamedPrescription, CodedPrescription]),
  diagnoses: diagnosesRequest,
  evidence: z.array(ShownEvidence),
  questionnaires: z.array(QuestionnaireRequest),
  visit_notes: z.array(VisitNoteRequest),
  pharmacy: z.strictObject({ name: string, address: PartialAddress.optional() }).nullable(),
  priority: z.int(),
  ndp_submission: NdpSubmissionRequest.nullable(),
  resubmission_info: z
    .strictObject({
      previous_prior_auth_request_id: string,
      note: string.optional(),
      quantity_limit_exception_reason: string.optional(),
    })
    .nullable(),
  is_appeal: flag,
  patient_consent_required: flag,
  submitted_by: Person.nullable(),
  reviewed_by: Person.nullable(),
  triggered_benefit_verification_id: string.nullable(),
  mock_result: MockResultRequest.nullable(),
  out_of_pocket_costs: costs,
  denial_reason_analysis: z
    .strictObject({
      categories: z.array(string),
      explanation: string,
      next_steps: z.array(string),
      next_steps_explanation: string,
    })
    .nullable(),
  message_thread: z.strictObject({ is_resolved: flag, messages: z.array(Message) }),
  activity_log: z.array(Activity),
  prescription_transfer: PrescriptionTransfer.nullable(),
  real_time_benefits_check_response: BenefitsCheck.nullable(),
  eligibility_check_response: z.array(EligibilityItem).nullable(),
})

/** One drug of a BV; what was found out about it is null until the BV completes (supplement, BV). */
export const VerifiedDrug = z.strictObject({
  name: string.nullable(),
  dosage: string.nullable(),
  ndc: string.nullable(),
  quantity: z.number().nullable(),
  coverage: z.enum(['covered', 'not_covered']).nullable(),
  coverage_detail_code: z
    .enum(['insurer_reported_value', 'diagnoses_not_covered', 'quantity_limit_pa_required'])
    .nullable(),
  prior_authorization_required: z.enum(['yes', 'no', 'not_applicable']).nullable(),
  has_active_prior_auth: flag.nullable(),
  copay: string.nullable(),
  copay_options: costs,
  determination_details: z
    .strictObject({
      is_on_formulary: flag,
      is_explicit_plan_exclusion: flag,
      is_prior_auth_acting_as_exception_request: flag,
    })
    .nullable(),
})

const submitted = BenefitVerificationRequest.shape

/** A BV as GET returns it and its event carries it (specification, BV resource; supplement, BV). */
export const BenefitVerificationResource = z.strictObject({
  id: string,
  object: z.literal('benefit_verification'),
  status: z.enum(benefitVerificationStatuses),
  status_description: string,
  review_status: z.enum(['reviewed', 'not_reviewed']),
  drugs: z.array(VerifiedDrug),
  drug_history: submitted.drug_history.unwrap().nullable(),
  diagnoses: diagnosesRequest,
  patient: PatientRequest,
  provider: ProviderRequest,
  entity: submitted.entity.unwrap().nullable(),
  insurance: z.array(InsuranceRecord),
  patient_coverage_status: z.enum(patientCoverageStatuses).nullable(),
  verification_methods: z.array(
    z.strictObject({
      id: string,
      type: z.enum(['ai_call', 'call_fallback']),
      transcript: string.nullable(),
      recording_url: string.nullable(),
    }),
  ),
  patient_plan_fund_source: z.enum(['commercial', 'government', 'question_not_asked', 'unable_to_determine']),
  patient_coverage_type: z.enum([
    'medicare',
    'medicare_advantage',
    'tricare',
    'medicaid',
    'other',
    'question_not_asked',
    'unable_to_determine',
  ]),
  pharmacy_benefit_manager_name: string.nullable(),
  priority: z.int(),
  error: z
    .strictObject({
      title: string,
      code: string,
      detail_code: string.nullable(),
      message: string,
      detail_message: string.nullable(),
    })
    .nullable(),
  replaces: string.nullable(),
  replaced_by: string.nullable(),
  triggered_by_pa_id: string.nullable(),
  mock_result: submitted.mock_result.unwrap().nullable(),
})

/** A clinical qualification as GET returns it (specification, Clinical qualification resource). */
export const ClinicalQualificationResource = ClinicalQualificationRequest.extend({
  id: string,
  object: z.literal('clinical_qualification'),
  insurance: z.array(InsuranceRecord),
  results: z.array(
    z.strictObject({
      drug: ClinicalQualificationRequest.shape.drugs.element,
      status: z.enum(['pending', 'qualified', 'unqualified', 'unknown']),
      unqualified_reasons: z.array(z.strictObject({ description: string })),
    }),
  ),
})
