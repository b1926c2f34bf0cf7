import { z } from 'zod'
import { AppealDetailsRequest, EvidenceRequest, QuestionnaireRequest, VisitNoteRequest } from './evidence.ts'
import { MockResultRequest } from './mock-result.ts'
import { diagnosesRequest, insuranceFields, PartialAddress, PatientRequest, ProviderRequest } from './people.ts'
import { atLeastOneOf, insured, requiredUnless } from './rules.ts'
import { dateTime, ncpdpId, ndc, priority, text, wholeQuantity } from './text.ts'

const dispensing = {
  directions: text,
  quantity: wholeQuantity,
  days_supply: wholeQuantity,
  prescription_date: dateTime,
}

/** A prescription by name (specification, Prescription). */
export const NamedPrescription = z.strictObject({
  drug_name: text,
  strength: text,
  dose_form: text,
  route_of_administration: text,
  ...dispensing,
})

/** A prescription by NDC (specification, CodedPrescription). */
export const CodedPrescription = z.strictObject({
  ndc,
  ...dispensing,
  // An NCIt code or a term of subset C89510; the terms are not listed.
  quantity_unit_of_measure: text.optional(),
})

/** For a prescription that went to the service's non-dispensing pharmacy, which passes it on (supplement, PA create). */
export const NdpSubmissionRequest = atLeastOneOf(
  z.strictObject({
    prescription_message_id: text,
    ignore_eligibility_check_error: z.boolean(),
    submit_pa_with_eligibility_check_government_plan: z.boolean().optional(),
    preferred_pharmacy_ncpdp_id: ncpdpId.optional(),
    preferred_pharmacy_details: text.optional(),
  }),
  ['preferred_pharmacy_ncpdp_id', 'preferred_pharmacy_details'],
)

/** The prescriber of a PA: the address must be there (specification, Provider). */
export const PrescriberRequest = ProviderRequest.extend({ address: PartialAddress })

const Fields = z.strictObject({
  patient: PatientRequest,
  provider: PrescriberRequest,
  ...insuranceFields,
  prescription: z.union([NamedPrescription, CodedPrescription]),
  diagnoses: diagnosesRequest.optional(),
  evidence: z.array(EvidenceRequest).optional(),
  visit_notes: z.array(VisitNoteRequest).optional(),
  questionnaires: z.array(QuestionnaireRequest).optional(),
  pharmacy: z.strictObject({ name: text, address: PartialAddress.optional() }).optional(),
  priority: priority.optional(),
  is_training_data: z.boolean().optional(),
  mock_result: MockResultRequest.optional(),
  resubmission_info: z
    .strictObject({
      previous_prior_auth_request_id: text,
      note: text.optional(),
      quantity_limit_exception_reason: text.optional(),
    })
    .optional(),
  appeal_details: AppealDetailsRequest.optional(),
  // The specification has it here, the supplement in resubmission_info: both are accepted.
  quantity_limit_exception_reason: text.optional(),
  provider_outreach: z.strictObject({ enabled: z.boolean() }).optional(),
  trigger_benefit_verification: z
    .strictObject({
      enabled: z.boolean(),
      additional_medications: z.array(z.strictObject({ ndc, quantity: wholeQuantity })).optional(),
    })
    .optional(),
  ndp_submission: NdpSubmissionRequest.optional(),
})

/** Body of POST /prior-authorization (specification, Prior authorization create request; supplement, PA create). */
export const PriorAuthorizationRequest = insured(Fields).refine(
  ({ resubmission_info: info, appeal_details }) =>
    // A value that is no object already has its own fault; null and an array are objects here.
    typeof info !== 'object' ||
    info === null ||
    Array.isArray(info) ||
    info.note !== undefined ||
    appeal_details !== undefined,
  { path: ['resubmission_info', 'note'], ...requiredUnless },
)
export type PriorAuthorizationRequest = z.infer<typeof PriorAuthorizationRequest>

/** Body of POST /prior-authorization/{id}/cancel. */
export const PriorAuthorizationCancelRequest = z.strictObject({ cancellation_reason: text })
export type PriorAuthorizationCancelRequest = z.infer<typeof PriorAuthorizationCancelRequest>

/** Body of POST /prior-authorization/{id}/feedback. The values of `category` are not shown. */
export const FeedbackRequest = z.strictObject({ category: text, message: text })
export type FeedbackRequest = z.infer<typeof FeedbackRequest>

/** Body of PATCH /prior-authorization/{id}/ndp-submission (supplement, PA create). */
export const NdpSubmissionUpdateRequest = z.strictObject({ preferred_pharmacy_ncpdp_id: ncpdpId })
export type NdpSubmissionUpdateRequest = z.infer<typeof NdpSubmissionUpdateRequest>
