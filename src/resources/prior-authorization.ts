import { z } from 'zod'
import { clinicalContent } from './clinical-content.ts'
import { lenient, lenientEnum, lenientList } from './lenient.ts'
import { allDetailCodes, type TransferErrorCode, transferErrorCodes } from './requests/mock-result.ts'
import { Address, CopayOption, diagnoses, insuranceRecords, Medication, Patient, Person, Provider } from './shared.ts'

/** Every documented PA status (supplement, Statuses). */
export const priorAuthorizationStatuses = [
  'created',
  'processing',
  'awaiting_review',
  'awaiting_outcome',
  'awaiting_provider_response',
  'validating_outcome',
  'completed',
  'failed',
  'not_submitted',
  'cancelled',
] as const

/** Statuses that a PA never leaves (specification, States; `not_submitted` by the cancel endpoint's error table). */
export const terminalPriorAuthorizationStatuses: readonly string[] = [
  'completed',
  'failed',
  'not_submitted',
  'cancelled',
]

/** The result of a PA, told apart by `result`; read `status` first (supplement, PA outcome). */
export const Outcome = z.looseObject({
  result: lenient(lenientEnum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other', 'Pending'])),
  detail: lenient(z.string()),
  detail_code: lenient(lenientEnum(allDetailCodes)),
  client_code: lenient(z.string()),
  authorization_start_date: lenient(z.string()),
  authorization_expiration: lenient(z.string()),
})
export type Outcome = z.infer<typeof Outcome>

/** One message between the client team and the service team (supplement, message_thread). */
export const Message = z.looseObject({
  id: z.string(),
  timestamp: lenient(z.string()),
  content: lenient(z.string()),
  sent_by_name: lenient(z.string()),
  direction: lenient(lenientEnum(['sent', 'received'])),
  is_resolution: lenient(z.boolean()),
  attachments: lenientList(
    z.looseObject({ id: lenient(z.string()), file_name: lenient(z.string()), url: lenient(z.string()) }),
  ),
})
export type Message = z.infer<typeof Message>

export const TransferAttempt = z.looseObject({ timestamp: lenient(z.string()), pharmacy_ncpdp_id: lenient(z.string()) })
export type TransferAttempt = z.infer<typeof TransferAttempt>

export const ConfirmationAttempt = z.looseObject({
  timestamp: lenient(z.string()),
  outcome: lenient(lenientEnum(['success', 'failed'])),
})
export type ConfirmationAttempt = z.infer<typeof ConfirmationAttempt>

/** The transfer of the prescription to the preferred dispensing pharmacy (supplement, prescription_transfer). */
export const PrescriptionTransfer = z.looseObject({
  status: lenient(lenientEnum(['in_progress', 'awaiting_provider_response', 'completed', 'cancelled', 'error'])),
  confirmed: lenient(z.boolean()),
  error_code: lenient(lenientEnum(transferErrorCodes)),
  transfer_attempts: lenientList(TransferAttempt),
  confirmation_attempts: lenientList(ConfirmationAttempt),
})
export type PrescriptionTransfer = z.infer<typeof PrescriptionTransfer>

/** One entry of the activity log; unknown types are kept (supplement, activity_log). */
export const Activity = z.looseObject({
  id: lenient(z.string()),
  created_at: lenient(z.string()),
  type: lenient(lenientEnum(['sent_fax', 'received_fax', 'follow_up_call'])),
  /** `url` of a fax: short-lived, and signed anew with every answer; `notes` of a call. */
  details: lenient(
    z.looseObject({
      url: lenient(z.string()),
      notes: lenient(z.string()),
      recording_url: lenient(z.string()),
      transcript: lenient(z.string()),
    }),
  ),
})
export type Activity = z.infer<typeof Activity>

/** Why a PA was denied, as the service reads the payer's letter (supplement, PA resource). */
export const DenialReasonAnalysis = z.looseObject({
  categories: lenientList(z.string()),
  explanation: lenient(z.string()),
  next_steps: lenient(z.string()),
  next_steps_explanation: lenient(z.string()),
})
export type DenialReasonAnalysis = z.infer<typeof DenialReasonAnalysis>

/** What the drug would cost the patient, and its alternatives (supplement, real_time_benefits_check_response); amounts are read as text or number. */
export const BenefitsCheck = z.looseObject({
  patient_cost: lenient(z.union([z.string(), z.number()])),
  prior_auth_required: lenient(z.boolean()),
  alternatives: lenientList(
    z.looseObject({
      product_id: lenient(z.string()),
      description: lenient(z.string()),
      patient_cost: lenient(z.union([z.string(), z.number()])),
      prior_auth_required: lenient(z.boolean()),
    }),
  ),
})
export type BenefitsCheck = z.infer<typeof BenefitsCheck>

/** One plan that the eligibility check found, or its error (supplement, eligibility_check_response). */
export const EligibilityItem = z.looseObject({
  status: lenient(lenientEnum(['success', 'error'])),
  health_plan_name: lenient(z.string()),
  plan_type: lenient(lenientEnum(['medicare', 'medicare_advantage', 'medicaid', 'tricare'])),
  rx_bin: lenient(z.string()),
  rx_pcn: lenient(z.string()),
  rx_grp: lenient(z.string()),
  effective_start_date: lenient(z.string()),
  effective_end_date: lenient(z.string()),
  error_code: lenient(z.string()),
  error_message: lenient(z.string()),
  action_code: lenient(z.string()),
})
export type EligibilityItem = z.infer<typeof EligibilityItem>

/** The outcome that was asked for of a sandbox (supplement, PA create). */
export const MockResult = z.looseObject({
  result: lenient(lenientEnum(['Approved', 'Denied', 'Not Submitted', 'Other'])),
  detail_code: lenient(lenientEnum(allDetailCodes)),
  client_code: lenient(z.string()),
  prescription_transfer_error_code: lenient(lenientEnum(transferErrorCodes)),
  trigger_message: lenient(z.boolean()),
})
export type MockResult = z.infer<typeof MockResult>

/** A prior authorization as GET returns it; only `id` and `status` are relied on (specification, PA resource; supplement, further fields). */
export const PriorAuthorization = z.looseObject({
  id: z.string().min(1),
  object: lenient(z.string()),
  status: lenientEnum(priorAuthorizationStatuses),
  outcome: lenient(Outcome),
  url: lenient(z.string()),
  patient: lenient(Patient),
  provider: lenient(Provider),
  insurance: insuranceRecords,
  diagnoses,
  prescription: lenient(Medication),
  ...clinicalContent,
  mock_result: lenient(MockResult),
  pharmacy: lenient(z.looseObject({ name: lenient(z.string()), address: lenient(Address) })),
  /** 0 critical, 1 high, 2 medium, 3 low (supplement, PA create). */
  priority: lenient(z.number()),
  ndp_submission: lenient(
    z.looseObject({
      prescription_message_id: lenient(z.string()),
      ignore_eligibility_check_error: lenient(z.boolean()),
      submit_pa_with_eligibility_check_government_plan: lenient(z.boolean()),
      preferred_pharmacy_ncpdp_id: lenient(z.string()),
      preferred_pharmacy_details: lenient(z.string()),
    }),
  ),
  resubmission_info: lenient(
    z.looseObject({
      previous_prior_auth_request_id: lenient(z.string()),
      note: lenient(z.string()),
      quantity_limit_exception_reason: lenient(z.string()),
    }),
  ),
  quantity_limit_exception_reason: lenient(z.string()),
  is_appeal: lenient(z.boolean()),
  patient_consent_required: lenient(z.boolean()),
  submitted_by: lenient(Person),
  reviewed_by: lenient(Person),
  triggered_benefit_verification_id: lenient(z.string()),
  message_thread: lenient(z.looseObject({ is_resolved: lenient(z.boolean()), messages: lenientList(Message) })),
  activity_log: lenientList(Activity),
  prescription_transfer: lenient(PrescriptionTransfer),
  real_time_benefits_check_response: lenient(BenefitsCheck),
  eligibility_check_response: lenientList(EligibilityItem),
  out_of_pocket_costs: lenientList(CopayOption),
  denial_reason_analysis: lenient(DenialReasonAnalysis),
})
export type PriorAuthorization = z.infer<typeof PriorAuthorization>

/** `Approved` and `Approval` are the same result (specification, PA resource). */
export function isApproved(outcome: Outcome | undefined): boolean {
  return outcome?.result === 'Approved' || outcome?.result === 'Approval'
}

/** The transfer's error code for systems that know only the documented ones: an unknown one is `other` (supplement, prescription_transfer). */
export function transferErrorCode(transfer: PrescriptionTransfer | undefined): TransferErrorCode | undefined {
  const code = transfer?.error_code
  return code === undefined ? undefined : (transferErrorCodes.find((known) => known === code) ?? 'other')
}
