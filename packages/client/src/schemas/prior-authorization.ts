import { z } from 'zod'
import { ShownCopay } from './benefit-verification.ts'
import { QuestionnaireRequest, ShownEvidence, VisitNoteRequest } from './clinical-content.ts'
import { ShownInsurance } from './insurance.ts'
import { lenientOf, type ReadOf } from './lenient.ts'
import { MockResultRequest, ShownOutcome, type TransferErrorCode, transferErrorCodes } from './outcome.ts'
import { diagnosesRequest, PatientRequest, PrescriberRequest } from './people.ts'
import {
  NdpSubmissionRequest,
  PharmacyRequest,
  Prescription,
  quantityLimitExceptionReason,
  ResubmissionInfo,
} from './prior-authorization-request.ts'
import { keysOf, meaningsIn, saidIn } from './said.ts'
import { essential } from './shape.ts'
import { date, moment, text } from './text.ts'

/** Meaning of each documented status of a PA (specification, States; supplement, Statuses). */
export const priorAuthorizationMeanings = {
  created: 'accepted, not yet processed',
  processing: 'being checked and prepared for the payer',
  awaiting_review: 'waits for a reviewer of the client; only in organizations that are not delegated',
  awaiting_outcome: 'submitted; the payer has not answered',
  awaiting_provider_response: 'the prescriber must supply information',
  validating_outcome: "the payer's answer is being checked; the PA still runs",
  completed: 'ended with an answer of the payer, or without needing one; see `outcome`',
  failed: 'ended without a decision; see `outcome`',
  not_submitted: 'ended before it reached the payer; see `outcome` for what to change',
  cancelled: 'ended by the client',
} as const
export const priorAuthorizationStatuses = keysOf(priorAuthorizationMeanings)
export type PriorAuthorizationStatus = (typeof priorAuthorizationStatuses)[number]

/** Statuses that a PA never leaves (specification, States; `not_submitted` by the cancel endpoint's error table). */
export const terminalPriorAuthorizationStatuses: readonly string[] = [
  'completed',
  'failed',
  'not_submitted',
  'cancelled',
]

/** Whether a PA with this status ended with an outcome; a cancelled PA's outcome is a placeholder (supplement, Statuses). */
export function isConcluded(status: string): boolean {
  return status !== 'cancelled' && terminalPriorAuthorizationStatuses.includes(status)
}

/** Meaning of each `prescription_transfer.status` (supplement, Statuses). */
export const transferMeanings = {
  in_progress: 'on its way to the pharmacy, or not yet confirmed',
  awaiting_provider_response: 'the prescriber must supply information',
  completed: 'the pharmacy has the prescription',
  error: 'ended without a pharmacy; see `error_code`',
  cancelled: 'ended by the client',
} as const

/** Whether a prescription transfer with this status has ended (supplement, Statuses). */
export function isTransferEnded(status: string | undefined): boolean {
  return status === 'completed' || status === 'error' || status === 'cancelled'
}

const shown = saidIn('specification, Prior authorization resource')
const more = saidIn('supplement, PA resource')
const string = z.string()
const maybe = z.string().nullable()
const flag = z.boolean()

/** One entry of `message_thread.messages` (supplement, PA resource). */
export const ShownMessage = z.strictObject({
  id: essential(string.meta(more('Id of the message.'))),
  timestamp: moment.meta(more('Time of the message.')),
  content: string.meta(more('Text of the message.')),
  sent_by_name: string.meta(more('Author of the message.')),
  direction: z.enum(['sent', 'received']).meta(more('`sent` by the client team, or `received` from the service team.')),
  is_resolution: flag.meta(more('Whether it resolves the request.')),
  attachments: z
    .array(
      z.strictObject({
        id: string.meta(more('Id of the file.', { examples: ['att_e5f6g7h8i9j0'] })),
        file_name: string.meta(more('Name of the file.', { examples: ['note.pdf'] })),
        url: string.meta(
          more('Download URL of the file; signed, valid for about 15 minutes.', {
            format: 'uri',
            examples: ['https://files.sandbox.invalid/files/pa_req_a1b2/messages/note.pdf'],
          }),
        ),
      }),
    )
    .meta(more('Attached files.')),
})

/** A message, read leniently; without an id it is skipped. */
export const Message: z.ZodType<Message> = lenientOf(ShownMessage)
export interface Message extends ReadOf<typeof ShownMessage> {}

const activityFields = {
  id: string.meta(more('Id of the entry.')),
  created_at: moment.meta(more('Time of the activity.')),
}
const saidOfType = more('Type of activity; further types will come.')
const saidOfDetails = more('Details; the fields depend on the type.')

/** One entry of `activity_log` (supplement, PA resource). */
export const ShownActivity = z.union([
  z.strictObject({
    ...activityFields,
    type: z.enum(['sent_fax', 'received_fax']).meta(saidOfType),
    details: z
      .strictObject({
        url: string.meta(more('Download URL of the fax; signed, valid for about 15 minutes.', { format: 'uri' })),
      })
      .meta(saidOfDetails),
  }),
  z.strictObject({
    ...activityFields,
    type: z.literal('follow_up_call').meta(saidOfType),
    details: z
      .strictObject({
        notes: string.meta(more('Notes of the call.', { examples: ['The payer asked for the chart.'] })),
        recording_url: maybe.meta(
          more('Download URL of the recording; null without one.', {
            format: 'uri',
            examples: ['https://files.sandbox.invalid/files/pa_req_a1b2/recordings/1.mp3'],
          }),
        ),
        transcript: maybe.meta(more('Transcript of the call; null without one.', { examples: ['Sandbox call.'] })),
      })
      .meta(saidOfDetails),
  }),
])
export type ShownActivity = z.infer<typeof ShownActivity>
export interface Activity extends ReadOf<typeof ShownActivity> {}

/** `prescription_transfer` (supplement, PA resource). */
export const ShownTransfer = z.strictObject({
  status: z
    .enum(keysOf(transferMeanings))
    .meta(more(`Status of the transfer. ${meaningsIn(transferMeanings)}`, { isLoggable: true })),
  confirmed: flag.meta(more('Whether the pharmacy has confirmed that it has the prescription.', { isLoggable: true })),
  error_code: z
    .enum(transferErrorCodes)
    .nullable()
    .meta(
      more('Reason of the failure; null unless the transfer failed. Treat an unknown code as `other`.', {
        isLoggable: true,
      }),
    ),
  transfer_attempts: z
    .array(
      z.strictObject({
        timestamp: moment.meta(more('Time of sending.')),
        pharmacy_ncpdp_id: string.meta(more('NCPDP id (seven digits) of the pharmacy.')),
      }),
    )
    .meta(more('Every transfer to a pharmacy, oldest first.')),
  confirmation_attempts: z
    .array(
      z.strictObject({
        timestamp: moment.meta(more('Time of the request.')),
        outcome: z.enum(['success', 'failed']).meta(more('Whether the pharmacy confirmed.')),
      }),
    )
    .meta(more('Every request to the pharmacy for confirmation, oldest first.')),
})
export type ShownTransfer = z.infer<typeof ShownTransfer>

/** The transfer, read leniently. */
export const PrescriptionTransfer: z.ZodType<PrescriptionTransfer> = lenientOf(ShownTransfer)
export interface PrescriptionTransfer extends ReadOf<typeof ShownTransfer> {}
export type TransferAttempt = NonNullable<PrescriptionTransfer['transfer_attempts']>[number]
export type ConfirmationAttempt = NonNullable<PrescriptionTransfer['confirmation_attempts']>[number]

/** Amounts are text here; the supplement does not state the type, so numbers are read too. */
const amount = z.union([string, z.number()])

/** `real_time_benefits_check_response` (supplement, PA resource). */
export const BenefitsCheckResponse = z.strictObject({
  patient_cost: amount.meta(more('Cost to the patient, in dollars; here as text.')),
  prior_auth_required: flag.meta(more('Whether the drug needs a PA.')),
  alternatives: z
    .array(
      z.strictObject({
        product_id: string.meta(more('Id of the alternative, usually its NDC.', { examples: ['12345678902'] })),
        description: string.meta(more('Name of the alternative.', { examples: ['Samplumab 10 mg'] })),
        patient_cost: amount.meta(
          more('Cost of it to the patient, in dollars; here as text.', { examples: ['$10.00'] }),
        ),
        prior_auth_required: flag.meta(more('Whether it needs a PA.')),
      }),
    )
    .meta(more('Alternatives that the plan covers.')),
})
export type BenefitsCheckResponse = z.infer<typeof BenefitsCheckResponse>

const saidOfCheck = more('Whether the check of the plan succeeded; the other fields depend on it.')

/** One item of `eligibility_check_response` (supplement, PA resource). */
export const EligibilityItem = z.union([
  z.strictObject({
    status: z.literal('success').meta(saidOfCheck),
    health_plan_name: string.meta(more('Name of the plan.', { examples: ['Sample PPO'] })),
    plan_type: z
      .enum(['medicare', 'medicare_advantage', 'medicaid', 'tricare'])
      .nullable()
      .meta(more('The government program of the plan; null for another plan.')),
    rx_bin: maybe.meta(more('Digits that route pharmacy claims (BIN), or null.', { examples: ['610011'] })),
    rx_pcn: maybe.meta(more('Processor control number, or null.', { examples: ['SAMPLE'] })),
    rx_grp: maybe.meta(more('Group of the pharmacy benefit, or null.', { examples: ['RX0001'] })),
    effective_start_date: date.meta(more('First day of the coverage.', { examples: ['2026-01-01'] })),
    effective_end_date: date
      .nullable()
      .meta(more('Last day of the coverage; null if unknown.', { examples: ['2026-12-31'] })),
  }),
  z.strictObject({
    status: z.literal('error').meta(saidOfCheck),
    error_code: string.meta(more('Code of the failure.', { examples: ['42'] })),
    error_message: string.meta(
      more('The failure in a sentence for people.', { examples: ['The payer did not answer.'] }),
    ),
    action_code: string.meta(more('Action requested by the payer.', { examples: ['R'] })),
  }),
])
export type EligibilityItem = z.infer<typeof EligibilityItem>

const personWho = (did: string) =>
  z.strictObject({
    first_name: string.meta(more(`Given name of the person who ${did} it.`, { examples: ['Sandy'] })),
    last_name: string.meta(more(`Family name of the person who ${did} it.`, { examples: ['Reviewer'] })),
    email: string.meta(
      more(`E-mail address of the person who ${did} it.`, { format: 'email', examples: ['reviewer@sandbox.invalid'] }),
    ),
  })
export type Person = ReadOf<ReturnType<typeof personWho>>

const DenialAnalysis = z.strictObject({
  categories: z.array(string).meta(more('Kinds of reasons.')),
  explanation: string.meta(
    more('The reasons in words for people.', { examples: ['The plan did not find its criteria met.'] }),
  ),
  next_steps: string.meta(more('Next steps, in short.', { examples: ['Appeal the denial.'] })),
  next_steps_explanation: string.meta(
    more('Next steps, in detail.', {
      examples: ['A letter of medical necessity can be sent with an appeal.'],
    }),
  ),
})

/** A PA as returned by GET and carried by its events (specification, PA resource; supplement, further fields). */
export const PriorAuthorizationResource = z.strictObject({
  id: essential(text.meta(shown('Id of the PA: `pa_req_` and letters and digits.'))),
  object: z.literal('prior_authorization').meta(shown('Tells the kind of resource.')),
  url: string.meta(more('URL of the PA on the web platform.', { format: 'uri' })),
  status: essential(
    z
      .enum(priorAuthorizationStatuses)
      .meta(shown(`Status of the PA. ${meaningsIn(priorAuthorizationMeanings)}`, { isLoggable: true })),
  ),
  outcome: ShownOutcome.meta(shown('Outcome of the PA; read `status` first.')),
  patient: PatientRequest.meta(more('As submitted.')),
  provider: PrescriberRequest.meta(shown('As submitted.')),
  insurance: z.array(ShownInsurance).meta(shown('The insurance as submitted and as read from the card.')),
  prescription: Prescription.meta(more('As submitted.')),
  diagnoses: diagnosesRequest.meta(more('As submitted.')),
  evidence: z.array(ShownEvidence).meta(more('As submitted; files have URLs.')),
  questionnaires: z.array(QuestionnaireRequest).meta(more('As submitted.')),
  visit_notes: z.array(VisitNoteRequest).meta(more('As submitted.')),
  pharmacy: PharmacyRequest.nullable().meta(more('As submitted, or null.')),
  priority: z.int().meta(more('0 critical, 1 high, 2 medium, 3 low.', { default: 2 })),
  ndp_submission: NdpSubmissionRequest.nullable().meta(
    more('As submitted, with the currently preferred pharmacy; or null.'),
  ),
  resubmission_info: ResubmissionInfo.nullable().meta(more('As submitted, or null.')),
  quantity_limit_exception_reason: quantityLimitExceptionReason,
  is_appeal: flag.meta(more('Whether the request had `appeal_details`.')),
  patient_consent_required: flag.meta(more("Whether the payer requires the patient's consent.")),
  submitted_by: personWho('submitted')
    .nullable()
    .meta(more('Submitter of the PA to the payer; null before submission.')),
  reviewed_by: personWho('reviewed').nullable().meta(more('Reviewer of the PA; null without a review.')),
  triggered_benefit_verification_id: maybe.meta(
    more('Id of the BV that this PA started; null if none.', {
      examples: ['bv_a1b2c3d4e5f6g7h8i9j0'],
    }),
  ),
  mock_result: MockResultRequest.nullable().meta(more('As submitted, or null.')),
  out_of_pocket_costs: z
    .array(ShownCopay)
    .meta(more('Cost to the patient by length of supply; empty unless approved.')),
  denial_reason_analysis: DenialAnalysis.nullable().meta(more('Analysis of a denial; null without one.')),
  message_thread: z
    .strictObject({
      is_resolved: flag.meta(more('Whether no request is open.', { isLoggable: true })),
      messages: z.array(ShownMessage).meta(more('The messages, oldest first.')),
    })
    .meta(shown('The messages between the client team and the service team.')),
  activity_log: z.array(ShownActivity).meta(shown('Activities, with the faxes sent and received, oldest first.')),
  prescription_transfer: ShownTransfer.nullable().meta(
    shown('Transfer of the prescription to its pharmacy; null if there is none to transfer.'),
  ),
  real_time_benefits_check_response: BenefitsCheckResponse.nullable().meta(
    more('Result of the real-time benefits check; null before it or without one.'),
  ),
  eligibility_check_response: z
    .array(EligibilityItem)
    .nullable()
    .meta(more('Result of the eligibility check for each plan; null before it or without one.')),
})
export type PriorAuthorizationResource = z.infer<typeof PriorAuthorizationResource>

/** A PA, read leniently: only `id` and `status` are required. */
export const PriorAuthorization: z.ZodType<PriorAuthorization> = lenientOf(PriorAuthorizationResource)
export interface PriorAuthorization extends ReadOf<typeof PriorAuthorizationResource> {}

/** The transfer's error code, with `other` for an undocumented one (supplement, prescription_transfer). */
export function transferErrorCode(transfer: PrescriptionTransfer | undefined): TransferErrorCode | undefined {
  const code = transfer?.error_code
  return code === undefined ? undefined : (transferErrorCodes.find((known) => known === code) ?? 'other')
}
