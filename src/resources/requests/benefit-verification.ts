import { z } from 'zod'
import { diagnosesRequest, insuranceFields, PatientRequest, ProviderRequest } from './people.ts'
import { insured } from './rules.ts'
import { ndc, priority, text } from './text.ts'

/** The results that a mocked BV can have (supplement, BV). */
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

const NamedDrug = z.strictObject({
  name: text,
  // Not shown whether these two are required.
  dosage: z.string().optional(),
  quantity: z.number().positive().optional(),
})
const CodedDrug = z.strictObject({ ndc, quantity: z.number().positive().optional() })

const drugNames = z.array(z.strictObject({ name: text }))

/** Body of POST /benefit-verification. The specification states few required flags; everything else is optional. */
export const BenefitVerificationRequest = insured(
  z.strictObject({
    patient: PatientRequest,
    provider: ProviderRequest,
    drugs: z.array(z.union([NamedDrug, CodedDrug])).min(1),
    ...insuranceFields,
    priority: priority.optional(),
    drug_history: z
      .strictObject({
        currently_taking_drugs: drugNames.optional(),
        previously_taken_drugs: drugNames.optional(),
      })
      .optional(),
    diagnoses: diagnosesRequest.optional(),
    entity: z.strictObject({ legal_name: z.string().optional(), tax_id: z.string().optional() }).optional(),
    use_patient_plan_fund_source_check: z.boolean().optional(),
    // Two documented values mean real time; there are others.
    preferred_processing_mode: text.optional(),
    replaces: text.optional(),
    mock_result: z
      .strictObject({ status: z.enum(['completed', 'failed']), case: z.enum(benefitVerificationCases).optional() })
      .optional(),
  }),
)
export type BenefitVerificationRequest = z.infer<typeof BenefitVerificationRequest>
