import { z } from 'zod'
import { AppealDetailsRequest, EvidenceRequest, QuestionnaireRequest, VisitNoteRequest } from './clinical-content.ts'
import { insuranceFields } from './insurance.ts'
import type { ReadOf } from './lenient.ts'
import { MockResultRequest } from './outcome.ts'
import { diagnosesRequest, PartialAddress, PatientRequest, PrescriberRequest } from './people.ts'
import { atLeastOneOf, insured, requiredUnless } from './rules.ts'
import { saidIn } from './said.ts'
import { dateTime, ncpdpId, ndc, priority, text, wholeQuantity } from './text.ts'

const asked = saidIn('specification, Prior authorization create request')
const more = saidIn('supplement, PA create')
const flag = z.boolean().optional()

const dispensingSaidIn = (said: ReturnType<typeof saidIn>) => ({
  directions: text.meta(said('How the patient is to use the drug; not empty.')),
  quantity: wholeQuantity.meta(
    said('How many units are dispensed; whole, above 0. Never rounded, and never a number of days.'),
  ),
  days_supply: wholeQuantity.meta(said('How many days they last; whole, above 0.')),
  prescription_date: dateTime.meta(said('When it was prescribed; the zone may be left out.')),
})

const named = saidIn('specification, Prescription')

/** A prescription by name (specification, Prescription). */
export const NamedPrescription = z.strictObject({
  drug_name: text.meta(named('Name of the drug; not empty.')),
  strength: text.meta(named('Strength of one unit, as `10 mg`; not empty.')),
  dose_form: text.meta(named('In which form it is given, as `Injection, solution`; not empty.')),
  route_of_administration: text.meta(named('How it enters the body; not empty.')),
  ...dispensingSaidIn(named),
})

const coded = saidIn('specification, CodedPrescription')

/** A prescription by NDC (specification, CodedPrescription). */
export const CodedPrescription = z.strictObject({
  ndc: ndc.meta(more('The drug by its NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.')),
  ...dispensingSaidIn(coded),
  // An NCIt code or a term of subset C89510; the terms are not listed.
  quantity_unit_of_measure: text
    .optional()
    .meta(
      coded(
        'What `quantity` counts: a code of NCIt, or a term of its subset C89510. The default says that no unit is given.',
        { default: 'C38046' },
      ),
    ),
})

export const Prescription = z.union([NamedPrescription, CodedPrescription])
export type Medication = ReadOf<typeof Prescription>

/** For a prescription that went to the service's non-dispensing pharmacy, which passes it on (supplement, PA create). */
export const NdpSubmissionRequest = atLeastOneOf(
  z.strictObject({
    prescription_message_id: text.meta(
      more('Id of the prescription message that the service received. One PA each; not empty.'),
    ),
    ignore_eligibility_check_error: z
      .boolean()
      .meta(more('Whether the PA goes on where the eligibility check ends with an error.')),
    submit_pa_with_eligibility_check_government_plan: flag.meta(
      more('Whether the PA goes on where the eligibility check finds a government plan.', { default: false }),
    ),
    preferred_pharmacy_ncpdp_id: ncpdpId
      .optional()
      .meta(
        more(
          'Seven digits (NCPDP id) of the pharmacy that is to dispense. This or `preferred_pharmacy_details` is needed.',
        ),
      ),
    preferred_pharmacy_details: text.optional().meta(
      more('The pharmacy in any words. This or `preferred_pharmacy_ncpdp_id` is needed; not empty.', {
        examples: ['Sample Pharmacy, 3 Example Way, Sampleton'],
      }),
    ),
  }),
  ['preferred_pharmacy_ncpdp_id', 'preferred_pharmacy_details'],
)

/** Which PA came before (supplement, PA create). */
export const ResubmissionInfo = z.strictObject({
  previous_prior_auth_request_id: text.meta(
    more('Id of the PA that came before; it must be terminal.', { examples: ['pa_req_z9y8x7w6v5u4t3s2r1q0'] }),
  ),
  note: text.optional().meta(
    more('What has changed since. Needed unless there are `appeal_details`; not empty.', {
      examples: ['The missing lab result is attached.'],
    }),
  ),
  quantity_limit_exception_reason: text
    .optional()
    .meta(
      more(
        'Why more is needed than the plan allows. Only where the PA before was approved, or was not required; not empty.',
        { examples: ['The dose was raised.'] },
      ),
    ),
})

/** Which pharmacy is to dispense. */
export const PharmacyRequest = z.strictObject({
  name: text.meta(more('Name of the pharmacy; not empty.', { examples: ['Sample Pharmacy'] })),
  address: PartialAddress.optional().meta(more('Where it is; every field of it is optional.')),
})

// The specification has it here, the supplement in resubmission_info: both are accepted.
export const quantityLimitExceptionReason = text.optional().meta(
  asked('The same as in `resubmission_info`: both places are taken. Not empty.', {
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
        quantity: wholeQuantity.meta(more('How many units; whole, above 0.', { examples: [4] })),
      }),
    )
    .optional()
    .meta(asked('Alternatives that are verified with the drug.')),
})

const Fields = z.strictObject({
  patient: PatientRequest.meta(asked('For whom the drug is prescribed.')),
  provider: PrescriberRequest.meta(asked('Who prescribes it; the NPI and the address are needed.')),
  ...insuranceFields(asked),
  prescription: Prescription.meta(asked('What is prescribed: by name, or by NDC.')),
  diagnoses: diagnosesRequest
    .optional()
    .meta(
      asked(
        'Why it is prescribed; recommended. Without them the service looks for diagnoses in the evidence, or a reviewer adds them.',
      ),
    ),
  evidence: z.array(EvidenceRequest).optional().meta(asked('Clinical facts; recommended.')),
  visit_notes: z.array(VisitNoteRequest).optional().meta(asked('Notes of visits.')),
  questionnaires: z.array(QuestionnaireRequest).optional().meta(asked('Questions with their answers.')),
  pharmacy: PharmacyRequest.optional().meta(asked('Which pharmacy is to dispense.')),
  priority: priority.optional().meta(more('0 critical, 1 high, 2 medium, 3 low.', { default: 2, examples: [2] })),
  is_training_data: flag.meta(asked('Whether the PA is stored only and never processed.', { default: false })),
  mock_result: MockResultRequest.optional().meta(
    asked('How the PA is to end, for tests. Not together with provider outreach.'),
  ),
  resubmission_info: ResubmissionInfo.optional().meta(asked('What ties the PA to the one before it.')),
  appeal_details: AppealDetailsRequest.optional().meta(
    asked('The appeal against the denial of the PA before; a route over a Medicare GLP-1 bridge takes none.'),
  ),
  quantity_limit_exception_reason: quantityLimitExceptionReason,
  provider_outreach: z
    .strictObject({ enabled: z.boolean().meta(asked('Whether the prescriber is asked.')) })
    .optional()
    .meta(asked('Asks the prescriber for what is missing. Only for pharmacies; needs `provider.fax`.')),
  trigger_benefit_verification: TriggeredVerification.optional().meta(
    asked('Verifies benefits first; what is found can end the PA as `not_submitted`.'),
  ),
  ndp_submission: NdpSubmissionRequest.optional().meta(
    more(
      'Only where the prescription went to the non-dispensing pharmacy of the service, which passes it on after an approval.',
    ),
  ),
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

const ruled = saidIn('specification, Endpoint rules')

/** Body of POST /prior-authorization/{id}/cancel. */
export const PriorAuthorizationCancelRequest = z.strictObject({
  cancellation_reason: text.meta(ruled('Why the PA is cancelled; kept for analytics. Not empty.')),
})
export type PriorAuthorizationCancelRequest = z.infer<typeof PriorAuthorizationCancelRequest>

/** Body of POST /prior-authorization/{id}/feedback. The values of `category` are not shown. */
export const FeedbackRequest = z.strictObject({
  category: text.meta(ruled('What the feedback is about; the values are not documented. Not empty.')),
  message: text.meta(ruled('The feedback in your words; not empty.')),
})
export type FeedbackRequest = z.infer<typeof FeedbackRequest>

/** Body of PATCH /prior-authorization/{id}/ndp-submission (supplement, PA create). */
export const NdpSubmissionUpdateRequest = z.strictObject({
  preferred_pharmacy_ncpdp_id: ncpdpId.meta(more('Seven digits (NCPDP id) of the pharmacy that is to dispense.')),
})
export type NdpSubmissionUpdateRequest = z.infer<typeof NdpSubmissionUpdateRequest>
