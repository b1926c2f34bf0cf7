import { z } from 'zod'
import { AppealDetailsRequest, EvidenceRequest, QuestionnaireRequest, VisitNoteRequest } from './clinical-content.ts'
import { insuranceFields } from './insurance.ts'
import type { ReadOf } from './lenient.ts'
import { MockResultRequest } from './outcome.ts'
import { diagnosesRequest, PartialAddress, PatientRequest, PrescriberRequest } from './people.ts'
import { isQuantityUnit } from './quantity-units.ts'
import { atLeastOneOf, insured, requiredUnless } from './rules.ts'
import { saidIn } from './said.ts'
import { dateTime, ncpdpId, ndc, priority, text, wholeQuantity } from './text.ts'

const asked = saidIn('specification, Prior authorization create request')
const more = saidIn('supplement, PA create')
const flag = z.boolean().optional()

const dispensingSaidIn = (said: ReturnType<typeof saidIn>) => ({
  directions: text.meta(said('Directions for the patient; not empty.')),
  quantity: wholeQuantity.meta(said('Dispensed units; whole, above 0. Never rounded, and never a number of days.')),
  days_supply: wholeQuantity.meta(said('Days of supply; whole, above 0.')),
  prescription_date: dateTime.meta(said('Time of prescription; the zone may be omitted.')),
})

const named = saidIn('specification, Prescription')

/** A prescription by name (specification, Prescription). */
export const NamedPrescription = z.strictObject({
  drug_name: text.meta(named('Name of the drug; not empty.')),
  strength: text.meta(named('Strength of one unit, as `10 mg`; not empty.')),
  dose_form: text.meta(named('Dose form, such as `Injection, solution`; not empty.')),
  route_of_administration: text.meta(named('Route of administration; not empty.')),
  ...dispensingSaidIn(named),
})

const quantityUnit = z.string().refine(isQuantityUnit, 'must be a code or a term of NCIt subset C89510')

const coded = saidIn('specification, CodedPrescription')

/** A prescription by NDC (specification, CodedPrescription). */
export const CodedPrescription = z.strictObject({
  ndc: ndc.meta(more('The drug by its NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.')),
  ...dispensingSaidIn(coded),
  quantity_unit_of_measure: quantityUnit.optional().meta(
    coded('Unit of `quantity`: an NCIt code, or a term of its subset C89510. The default means unspecified.', {
      default: 'C38046',
    }),
  ),
})

export const Prescription = z.union([NamedPrescription, CodedPrescription])
export type Medication = ReadOf<typeof Prescription>

/** A prescription sent to the service's non-dispensing pharmacy, which forwards it (supplement, PA create). */
export const NdpSubmissionRequest = atLeastOneOf(
  z.strictObject({
    prescription_message_id: text.meta(
      more('Id of the prescription message received by the service. One PA per message; not empty.'),
    ),
    ignore_eligibility_check_error: z.boolean().meta(more('Whether the PA continues if the eligibility check fails.')),
    submit_pa_with_eligibility_check_government_plan: flag.meta(
      more('Whether the PA continues if the eligibility check finds a government plan.', { default: false }),
    ),
    preferred_pharmacy_ncpdp_id: ncpdpId
      .optional()
      .meta(
        more('NCPDP id (seven digits) of the dispensing pharmacy. This or `preferred_pharmacy_details` is required.'),
      ),
    preferred_pharmacy_details: text.optional().meta(
      more('The pharmacy in any words. This or `preferred_pharmacy_ncpdp_id` is required; not empty.', {
        examples: ['Sample Pharmacy, 3 Example Way, Sampleton'],
      }),
    ),
  }),
  ['preferred_pharmacy_ncpdp_id', 'preferred_pharmacy_details'],
)

/** The link to the previous PA (supplement, PA create). */
export const ResubmissionInfo = z.strictObject({
  previous_prior_auth_request_id: text.meta(
    more('Id of the previous PA; it must be terminal.', { examples: ['pa_req_z9y8x7w6v5u4t3s2r1q0'] }),
  ),
  note: text.optional().meta(
    more('Changes since then. Required without `appeal_details`; not empty.', {
      examples: ['The missing lab result is attached.'],
    }),
  ),
  quantity_limit_exception_reason: text
    .optional()
    .meta(
      more(
        'Reason for exceeding the quantity limit. Only if the previous PA was approved or not required; not empty.',
        { examples: ['The dose was raised.'] },
      ),
    ),
})

/** The dispensing pharmacy. */
export const PharmacyRequest = z.strictObject({
  name: text.meta(more('Name of the pharmacy; not empty.', { examples: ['Sample Pharmacy'] })),
  address: PartialAddress.optional().meta(more('Address; every field is optional.')),
})

// The specification has it here, the supplement in resubmission_info: both are accepted.
export const quantityLimitExceptionReason = text.optional().meta(
  asked('Same as in `resubmission_info`: both are accepted. Not empty.', {
    examples: ['The dose was raised.'],
  }),
)

const TriggeredVerification = z.strictObject({
  enabled: z.boolean().meta(asked('Whether benefits are verified.')),
  additional_medications: z
    .array(
      z.strictObject({
        ndc: ndc.meta(
          more('The alternative by its NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.', {
            examples: ['12345-6789-01'],
          }),
        ),
        quantity: wholeQuantity.meta(more('Units; whole, above 0.', { examples: [4] })),
      }),
    )
    .optional()
    .meta(asked('Alternatives to verify with the drug.')),
})

const Fields = z.strictObject({
  patient: PatientRequest.meta(asked('The patient.')),
  provider: PrescriberRequest.meta(asked('The prescriber; NPI and address are required.')),
  ...insuranceFields(asked),
  prescription: Prescription.meta(asked('The prescription, by name or by NDC.')),
  diagnoses: diagnosesRequest
    .optional()
    .meta(asked('Diagnoses; recommended. Without them the service searches the evidence, or a reviewer adds them.')),
  evidence: z.array(EvidenceRequest).optional().meta(asked('Clinical facts; recommended.')),
  visit_notes: z.array(VisitNoteRequest).optional().meta(asked('Notes of visits.')),
  questionnaires: z.array(QuestionnaireRequest).optional().meta(asked('Questions with their answers.')),
  pharmacy: PharmacyRequest.optional().meta(asked('The dispensing pharmacy.')),
  priority: priority.optional().meta(more('0 critical, 1 high, 2 medium, 3 low.', { default: 2, examples: [2] })),
  is_training_data: flag.meta(asked('Whether the PA is only stored and never processed.', { default: false })),
  mock_result: MockResultRequest.optional().meta(
    asked('Outcome of the PA, for tests. Not together with provider outreach.'),
  ),
  resubmission_info: ResubmissionInfo.optional().meta(asked('Link to the previous PA.')),
  appeal_details: AppealDetailsRequest.optional().meta(
    asked('Appeal against the denial of the previous PA; a route over a Medicare GLP-1 bridge takes none.'),
  ),
  quantity_limit_exception_reason: quantityLimitExceptionReason,
  provider_outreach: z
    .strictObject({ enabled: z.boolean().meta(asked('Whether the prescriber is asked.')) })
    .optional()
    .meta(asked('Asks the prescriber for missing information. Only for pharmacies; requires `provider.fax`.')),
  trigger_benefit_verification: TriggeredVerification.optional().meta(
    asked('Verifies benefits first; the findings can end the PA as `not_submitted`.'),
  ),
  ndp_submission: NdpSubmissionRequest.optional().meta(
    more(
      "Only if the prescription went to the service's non-dispensing pharmacy, which forwards it after an approval.",
    ),
  ),
})

/** Body of POST /prior-authorization (specification, Prior authorization create request; supplement, PA create). */
export const PriorAuthorizationRequest = insured(Fields).refine(
  ({ resubmission_info: info, appeal_details }) =>
    // A value of another type already has its own fault; null and an array are objects here.
    typeof info !== 'object' ||
    info === null ||
    Array.isArray(info) ||
    info.note !== undefined ||
    appeal_details !== undefined,
  { path: ['resubmission_info', 'note'], ...requiredUnless },
)
export type PriorAuthorizationRequest = z.infer<typeof PriorAuthorizationRequest>

const ruled = saidIn('specification, Endpoint rules')

/** Body of POST /prior-authorization/{id}/cancel. */
export const PriorAuthorizationCancelRequest = z.strictObject({
  cancellation_reason: text.meta(ruled('Reason of the cancellation; stored for analytics. Not empty.')),
})
export type PriorAuthorizationCancelRequest = z.infer<typeof PriorAuthorizationCancelRequest>

/** Body of POST /prior-authorization/{id}/feedback. The values of `category` are not documented. */
export const FeedbackRequest = z.strictObject({
  category: text.meta(ruled('Category of the feedback; the values are not documented. Not empty.')),
  message: text.meta(ruled('The feedback in your words; not empty.')),
})
export type FeedbackRequest = z.infer<typeof FeedbackRequest>

/** Body of PATCH /prior-authorization/{id}/ndp-submission (supplement, PA create). */
export const NdpSubmissionUpdateRequest = z.strictObject({
  preferred_pharmacy_ncpdp_id: ncpdpId.meta(more('NCPDP id (seven digits) of the dispensing pharmacy.')),
})
export type NdpSubmissionUpdateRequest = z.infer<typeof NdpSubmissionUpdateRequest>
