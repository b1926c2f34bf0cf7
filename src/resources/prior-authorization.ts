import { z } from 'zod'
import { open, openEnum, openList } from './open.ts'
import { type TransferErrorCode, transferErrorCodes } from './requests/mock-result.ts'
import { CopayOption, diagnoses, insuranceRecords, Medication, Patient, Provider } from './shared.ts'

/** Every PA status that is documented (supplement, Statuses). */
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
  result: open(openEnum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other', 'Pending'])),
  detail: open(z.string()),
  detail_code: open(z.string()),
  client_code: open(z.string()),
  authorization_start_date: open(z.string()),
  authorization_expiration: open(z.string()),
})
export type Outcome = z.infer<typeof Outcome>

/** One message between the client team and the service team (supplement, message_thread). */
export const Message = z.looseObject({
  id: z.string(),
  timestamp: open(z.string()),
  content: open(z.string()),
  sent_by_name: open(z.string()),
  direction: open(openEnum(['sent', 'received'])),
  is_resolution: open(z.boolean()),
  attachments: openList(z.looseObject({ id: open(z.string()), file_name: open(z.string()), url: open(z.string()) })),
})
export type Message = z.infer<typeof Message>

export const TransferAttempt = z.looseObject({ timestamp: open(z.string()), pharmacy_ncpdp_id: open(z.string()) })
export type TransferAttempt = z.infer<typeof TransferAttempt>

export const ConfirmationAttempt = z.looseObject({
  timestamp: open(z.string()),
  outcome: open(openEnum(['success', 'failed'])),
})
export type ConfirmationAttempt = z.infer<typeof ConfirmationAttempt>

/** The transfer of the prescription to the preferred dispensing pharmacy (supplement, prescription_transfer). */
export const PrescriptionTransfer = z.looseObject({
  status: open(openEnum(['in_progress', 'awaiting_provider_response', 'completed', 'cancelled', 'error'])),
  confirmed: open(z.boolean()),
  error_code: open(openEnum(transferErrorCodes)),
  transfer_attempts: openList(TransferAttempt),
  confirmation_attempts: openList(ConfirmationAttempt),
})
export type PrescriptionTransfer = z.infer<typeof PrescriptionTransfer>

/** One entry of the activity log; unknown types are kept (supplement, activity_log). */
export const Activity = z.looseObject({
  id: open(z.string()),
  created_at: open(z.string()),
  type: open(openEnum(['sent_fax', 'received_fax', 'follow_up_call'])),
  details: open(z.looseObject({})),
})
export type Activity = z.infer<typeof Activity>

/** A prior authorization as GET returns it; only `id` and `status` are relied upon (specification, PA resource; supplement, further fields). */
export const PriorAuthorization = z.looseObject({
  id: z.string().min(1),
  object: open(z.string()),
  status: openEnum(priorAuthorizationStatuses),
  outcome: open(Outcome),
  url: open(z.string()),
  patient: open(Patient),
  provider: open(Provider),
  insurance: insuranceRecords,
  diagnoses,
  prescription: open(Medication),
  pharmacy: open(z.looseObject({ name: open(z.string()) })),
  ndp_submission: open(
    z.looseObject({
      preferred_pharmacy_ncpdp_id: open(z.string()),
      preferred_pharmacy_details: open(z.string()),
    }),
  ),
  resubmission_info: open(z.looseObject({ previous_prior_auth_request_id: open(z.string()) })),
  message_thread: open(z.looseObject({ is_resolved: open(z.boolean()), messages: openList(Message) })),
  activity_log: openList(Activity),
  prescription_transfer: open(PrescriptionTransfer),
  real_time_benefits_check_response: open(z.looseObject({})),
  out_of_pocket_costs: openList(CopayOption),
  denial_reason_analysis: open(z.looseObject({})),
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
