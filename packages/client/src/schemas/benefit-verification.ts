import { z } from 'zod'
import { benefitVerificationErrorCodes, benefitVerificationErrorDetailCodes } from './benefit-verification-errors.ts'
import { insuranceFields, ShownInsurance } from './insurance.ts'
import { lenientOf, type ReadOf } from './lenient.ts'
import { diagnosesRequest, PatientRequest, ProviderRequest } from './people.ts'
import { insured } from './rules.ts'
import { keysOf, meaningsIn, saidIn } from './said.ts'
import { essential } from './shape.ts'
import { ndc, priority, text } from './text.ts'

/** Meaning of each documented status of a BV (specification, States; supplement, Statuses). */
export const benefitVerificationMeanings = {
  pending: 'the payer is being asked',
  completed: 'each drug has its result',
  failed: 'no result could be found; see `error`',
  cancelled: 'ended by the client; no event tells of it',
} as const
export const benefitVerificationStatuses = keysOf(benefitVerificationMeanings)
export type BenefitVerificationStatus = (typeof benefitVerificationStatuses)[number]

/** Statuses that a BV never leaves (specification, States). */
export const terminalBenefitVerificationStatuses: readonly string[] = ['completed', 'failed', 'cancelled']

/** The coverage statuses of a patient (supplement, BV). */
export const patientCoverageStatuses = [
  'covered',
  'patient_not_found',
  'coverage_expired',
  'coverage_not_started',
  'patient_not_covered_unspecified',
  'human_unable_to_answer',
  'missing_from_transcript',
  'unknown',
] as const

/** The types of coverage that a BV can find (supplement, BV). */
export const patientCoverageTypes = [
  'medicare',
  'medicare_advantage',
  'tricare',
  'medicaid',
  'other',
  'question_not_asked',
  'unable_to_determine',
] as const

/** Payers of the plan (specification, BV resource). */
const planFundSources = ['commercial', 'government', 'question_not_asked', 'unable_to_determine'] as const

/** The possible results of a mocked BV (supplement, BV). */
export const benefitVerificationCases = [
  'drugs_covered__prior_auth_required__has_copay',
  'drugs_covered__prior_auth_required__no_copay',
  'drugs_covered__prior_auth_not_required__has_copay',
  'drugs_covered__prior_auth_not_required__no_copay',
  'drugs_not_covered__prior_auth_na__no_copay',
  'patient_consent_required',
  'reverification__existing_pa',
  'reverification__no_existing_pa',
] as const
export type BenefitVerificationCase = (typeof benefitVerificationCases)[number]

const asked = saidIn('specification, Benefit verification create request')
const shown = saidIn('specification, Benefit verification resource')
const more = saidIn('supplement, BV')
const words = z.string().optional()
const maybe = z.string().nullable()
const howMany = z.number().positive().optional()

const drugHistory = z.strictObject({
  currently_taking_drugs: z
    .array(z.strictObject({ name: text.meta(asked('Name of the drug; not empty.')) }))
    .optional()
    .meta(asked('Current drugs of the patient.')),
  previously_taken_drugs: z
    .array(z.strictObject({ name: text.meta(asked('Name of the drug; not empty.', { examples: ['Placebol'] })) }))
    .optional()
    .meta(asked('Past drugs of the patient.')),
})

const entity = z.strictObject({
  legal_name: words.meta(asked('Registered name.', { examples: ['Sample Clinic LLC'] })),
  tax_id: words.meta(asked('Tax number (EIN), as text.', { examples: ['00-0000000'] })),
})

const saidOfHistory = asked('Current and past drugs of the patient.')
const saidOfEntity = asked('Legal entity on whose behalf the payer is called. Only BVs have one.')

const mockResult = z.strictObject({
  status: z.enum(['completed', 'failed']).meta(more('The terminal status.')),
  case: z
    .enum(benefitVerificationCases)
    .optional()
    .meta(more('Result for the drugs; with `patient_consent_required` the BV fails, regardless of the status.')),
})

const saidOfPriority = saidIn('supplement, PA create')('0 critical, 1 high, 2 medium, 3 low.', { default: 3 })

/** Body of POST /benefit-verification. The specification states few required fields; all others are optional. */
export const BenefitVerificationRequest = insured(
  z.strictObject({
    patient: PatientRequest.meta(asked('The patient whose benefits are verified.')),
    provider: ProviderRequest.meta(asked('Who prescribes.')),
    drugs: z
      .array(
        z.union([
          z.strictObject({
            name: text.meta(asked('Name of the drug; not empty.')),
            // The specification does not say whether these two are required.
            dosage: words.meta(asked('Strength of one unit, as `10 mg`.')),
            quantity: howMany.meta(asked('Dispensed units, above 0; not a number of days.')),
          }),
          z.strictObject({
            ndc: ndc.meta(
              more(
                'The drug by its NDC, in place of name and dosage: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.',
              ),
            ),
            quantity: howMany.meta(asked('Dispensed units, above 0; not a number of days.')),
          }),
        ]),
      )
      .min(1)
      .meta(asked('Drugs to verify, by name or by NDC; at least one. Each counts as one unit of the drug limits.')),
    ...insuranceFields(asked),
    priority: priority.optional().meta(saidOfPriority),
    drug_history: drugHistory.optional().meta(saidOfHistory),
    diagnoses: diagnosesRequest
      .optional()
      .meta(asked('Diagnoses behind the prescription; recommended for more exact results.')),
    entity: entity.optional().meta(saidOfEntity),
    use_patient_plan_fund_source_check: z
      .boolean()
      .optional()
      .meta(
        asked('Whether the payer is also asked who funds the plan: see `patient_plan_fund_source`.', {
          default: false,
        }),
      ),
    preferred_processing_mode: text
      .optional()
      .meta(
        asked(
          '`realtime` and `realtime_only` request an answer within minutes, and count towards `rtbv-drug-minute`. Other values exist.',
          { examples: ['realtime'] },
        ),
      ),
    replaces: text
      .optional()
      .meta(more('Id of the cancelled BV that this one replaces.', { examples: ['bv_z9y8x7w6v5u4t3s2r1q0'] })),
    mock_result: mockResult.optional().meta(more('Outcome of this BV, for tests.')),
  }),
)
export type BenefitVerificationRequest = z.infer<typeof BenefitVerificationRequest>

/** The patient's cost of a supply for a number of days. */
export const ShownCopay = z.strictObject({
  amount_cents: essential(z.int().meta(shown('Cost to the patient, in US cents.'))),
  supply_duration_days: z.int().meta(shown('Days that the supply lasts.')),
})
export type CopayOption = ReadOf<typeof ShownCopay>

/** One drug of a BV; its results are null until the BV completes (supplement, BV). */
export const VerifiedDrug = z.strictObject({
  name: maybe.meta(shown('Name of the drug; null if submitted by NDC.')),
  dosage: maybe.meta(shown('Strength of one unit as submitted; null without one.')),
  ndc: maybe.meta(more('NDC as submitted; null if submitted by name.')),
  quantity: z.number().nullable().meta(shown('Units as submitted; null without a number.')),
  coverage: z
    .enum(['covered', 'not_covered'])
    .nullable()
    .meta(shown('Whether the plan pays for the drug; null until the BV is completed.')),
  coverage_detail_code: z
    .enum(['insurer_reported_value', 'diagnoses_not_covered', 'quantity_limit_pa_required'])
    .nullable()
    .meta(
      more(
        'Basis of `coverage`, for reference only: as reported by the insurer, not for these diagnoses, or only with a PA because of the quantity. Null until the BV is completed.',
      ),
    ),
  prior_authorization_required: z
    .enum(['yes', 'no', 'not_applicable'])
    .nullable()
    .meta(more('Whether a PA is needed; `not_applicable` if the drug is not covered. Null until the BV is completed.')),
  has_active_prior_auth: z
    .boolean()
    .nullable()
    .meta(more('Whether the payer already has an active PA; null if unknown.')),
  copay: maybe.meta(shown('Cost to the patient, as text for people; null until known.')),
  copay_options: z.array(ShownCopay).meta(shown('Cost to the patient by length of supply; empty until known.')),
  determination_details: z
    .strictObject({
      is_on_formulary: z.boolean().meta(shown("Whether the drug is on the plan's formulary.")),
      is_explicit_plan_exclusion: z.boolean().meta(more('Whether the plan names the drug as excluded.')),
      is_prior_auth_acting_as_exception_request: z
        .boolean()
        .meta(more('Whether a PA would be an exception to the formulary.')),
    })
    .nullable()
    .meta(shown('Reasons for the coverage result; null until the BV is completed.')),
})
export type VerifiedDrug = z.infer<typeof VerifiedDrug>
export interface BenefitVerificationDrug extends ReadOf<typeof VerifiedDrug> {}

/** `error` of a failed BV (supplement, BV). */
export const BenefitVerificationError = z.strictObject({
  title: z.string().meta(more('The failure in a few words.', { examples: ['Patient not found'] })),
  code: z.enum(benefitVerificationErrorCodes).meta(more('The kind of failure.', { isLoggable: true })),
  detail_code: z
    .enum(benefitVerificationErrorDetailCodes)
    .nullable()
    .meta(more('The exact fault or missing item; null if unknown.', { isLoggable: true })),
  message: z
    .string()
    .meta(more('The failure in a sentence for people.', { examples: ['The payer knows no such member.'] })),
  detail_message: maybe.meta(
    more('The detail in a sentence for people; null without a detail.', { examples: ['The date of birth differs.'] }),
  ),
})
export type BenefitVerificationError = z.infer<typeof BenefitVerificationError>

const Method = z.strictObject({
  id: z.string().meta(shown('Id of the attempt: `bva_` and letters and digits.')),
  type: z.enum(['ai_call', 'call_fallback']).meta(shown('Caller: a machine, or a person after it.')),
  transcript: maybe.meta(shown('Transcript of the call; null without one.')),
  recording_url: maybe.meta(
    shown('Download URL of the recording; null without one.', {
      format: 'uri',
      examples: ['https://files.sandbox.invalid/files/bv_a1b2/recordings/1.mp3'],
    }),
  ),
})

/** A BV as returned by GET and carried by its event (specification, BV resource; supplement, BV). */
export const BenefitVerificationResource = z.strictObject({
  id: essential(text.meta(shown('Id of the BV: `bv_` and letters and digits.'))),
  object: z.literal('benefit_verification').meta(shown('Tells the kind of resource.')),
  status: essential(
    z
      .enum(benefitVerificationStatuses)
      .meta(shown(`Status of the BV. ${meaningsIn(benefitVerificationMeanings)}`, { isLoggable: true })),
  ),
  status_description: z.string().meta(shown('The status in a sentence for people; the wording can change.')),
  review_status: z
    .enum(['reviewed', 'not_reviewed'])
    .meta(saidIn('supplement, Statuses')('Whether a person has reviewed the result.', { isLoggable: true })),
  drugs: z.array(VerifiedDrug).meta(shown('The drugs as submitted, each with its result.')),
  drug_history: drugHistory.nullable().meta(saidOfHistory),
  diagnoses: diagnosesRequest.meta(shown('As submitted.')),
  patient: PatientRequest.meta(shown('As submitted.')),
  provider: ProviderRequest.meta(shown('As submitted.')),
  entity: entity.nullable().meta(saidOfEntity),
  insurance: z.array(ShownInsurance).meta(shown('The insurance as submitted and as read from the card.')),
  patient_coverage_status: z
    .enum(patientCoverageStatuses)
    .nullable()
    .meta(
      more('Whether the patient is insured now, or why that is unknown; null until the BV ended.', {
        isLoggable: true,
      }),
    ),
  verification_methods: z.array(Method).meta(shown('Calls to the payer; empty before the first.')),
  patient_plan_fund_source: z.enum(planFundSources).meta(
    shown('Funding of the plan; asked only if `use_patient_plan_fund_source_check` was true.', {
      default: 'question_not_asked',
    }),
  ),
  patient_coverage_type: z
    .enum(patientCoverageTypes)
    .meta(more('Kind of plan; asked only together with its source of funds.', { isLoggable: true })),
  pharmacy_benefit_manager_name: maybe.meta(
    more('Manager of the pharmacy benefit; null if unknown.', { examples: ['Sample PBM'] }),
  ),
  priority: z.int().meta(saidOfPriority),
  error: BenefitVerificationError.nullable().meta(more('Reason of the failure; null unless the BV failed.')),
  replaces: maybe.meta(
    more('Id of the BV that this one replaces, or null.', { examples: ['bv_z9y8x7w6v5u4t3s2r1q0'] }),
  ),
  replaced_by: maybe.meta(
    more('Id of the BV that replaces this one, or null.', { examples: ['bv_k1l2m3n4o5p6q7r8s9t0'] }),
  ),
  triggered_by_pa_id: maybe.meta(
    more('Id of the PA that started this BV; null if a request did.', {
      examples: ['pa_req_a1b2c3d4e5f6g7h8i9j0'],
    }),
  ),
  mock_result: mockResult.nullable().meta(more('As submitted, or null.')),
})
export type BenefitVerificationResource = z.infer<typeof BenefitVerificationResource>

/** A BV, read leniently: only `id` and `status` are required. */
export const BenefitVerification: z.ZodType<BenefitVerification> = lenientOf(BenefitVerificationResource)
export interface BenefitVerification extends ReadOf<typeof BenefitVerificationResource> {}
