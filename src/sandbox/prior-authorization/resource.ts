import { z } from 'zod'
import { priorAuthorizationStatuses } from '../../resources/prior-authorization.ts'
import { QuestionnaireRequest, VisitNoteRequest } from '../../resources/requests/evidence.ts'
import { detailCodes, MockResultRequest, transferErrorCodes } from '../../resources/requests/mock-result.ts'
import { diagnosesRequest, PartialAddress, PatientRequest } from '../../resources/requests/people.ts'
import {
  CodedPrescription,
  NamedPrescription,
  NdpSubmissionRequest,
  PrescriberRequest,
} from '../../resources/requests/prior-authorization.ts'
import { date, dateTime, moment } from '../../resources/requests/text.ts'
import { CopayOption } from '../benefit-verification/resource.ts'
import { InsuranceRecord } from '../files/insurance-records.ts'

const string = z.string()
const flag = z.boolean()

/** The result of a PA; `result` of `Pending` is a placeholder (supplement, PA outcome). `Approval` is the specification's word for `Approved` (specification, PA resource). */
export const Outcome = z.strictObject({
  result: z.enum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other', 'Pending']),
  detail: string.nullable(),
  detail_code: z.enum([...new Set(Object.values(detailCodes).flat())]).nullable(),
  client_code: string.nullish(),
  authorization_start_date: date.optional(),
  authorization_expiration: date.optional(),
})
export type Outcome = z.infer<typeof Outcome>

/** One entry of `message_thread.messages` (supplement, PA resource). */
export const Message = z.strictObject({
  id: string,
  timestamp: moment,
  content: string,
  sent_by_name: string,
  direction: z.enum(['sent', 'received']),
  is_resolution: flag,
  attachments: z.array(z.strictObject({ id: string, file_name: string, url: string })),
})
export type Message = z.infer<typeof Message>

const activityFields = { id: string, created_at: moment }
/** One entry of `activity_log` (supplement, PA resource). */
export const Activity = z.union([
  z.strictObject({
    ...activityFields,
    type: z.enum(['sent_fax', 'received_fax']),
    details: z.strictObject({ url: string }),
  }),
  z.strictObject({
    ...activityFields,
    type: z.literal('follow_up_call'),
    details: z.strictObject({ notes: string, recording_url: string.nullable(), transcript: string.nullable() }),
  }),
])
export type Activity = z.infer<typeof Activity>

/** `prescription_transfer` (supplement, PA resource). */
export const PrescriptionTransfer = z.strictObject({
  status: z.enum(['in_progress', 'awaiting_provider_response', 'completed', 'cancelled', 'error']),
  confirmed: flag,
  error_code: z.enum(transferErrorCodes).nullable(),
  transfer_attempts: z.array(z.strictObject({ timestamp: moment, pharmacy_ncpdp_id: string })),
  confirmation_attempts: z.array(z.strictObject({ timestamp: moment, outcome: z.enum(['success', 'failed']) })),
})
export type PrescriptionTransfer = z.infer<typeof PrescriptionTransfer>

/** `real_time_benefits_check_response` (supplement, PA resource). The kinds of its values are a choice: dollars as text, as in a copay. */
export const BenefitsCheckResponse = z.strictObject({
  patient_cost: string,
  prior_auth_required: flag,
  alternatives: z.array(
    z.strictObject({ product_id: string, description: string, patient_cost: string, prior_auth_required: flag }),
  ),
})
export type BenefitsCheckResponse = z.infer<typeof BenefitsCheckResponse>

/** One item of `eligibility_check_response` (supplement, PA resource). */
export const EligibilityItem = z.union([
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
export type EligibilityItem = z.infer<typeof EligibilityItem>

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
  provider: PrescriberRequest,
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
  out_of_pocket_costs: z.array(CopayOption),
  denial_reason_analysis: z
    .strictObject({
      categories: z.array(string),
      explanation: string,
      next_steps: string,
      next_steps_explanation: string,
    })
    .nullable(),
  message_thread: z.strictObject({ is_resolved: flag, messages: z.array(Message) }),
  activity_log: z.array(Activity),
  prescription_transfer: PrescriptionTransfer.nullable(),
  real_time_benefits_check_response: BenefitsCheckResponse.nullable(),
  eligibility_check_response: z.array(EligibilityItem).nullable(),
})
export type PriorAuthorizationResource = z.infer<typeof PriorAuthorizationResource>
