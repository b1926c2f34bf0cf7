import { z } from 'zod'
import { lenient, lenientEnum, lenientList } from './lenient.ts'
import { benefitVerificationCases } from './requests/benefit-verification.ts'
import { CopayOption, diagnoses, insuranceRecords, Patient, Provider } from './shared.ts'

/** Every documented BV status (supplement, Statuses). */
export const benefitVerificationStatuses = ['pending', 'completed', 'failed', 'cancelled'] as const

/** Statuses that a BV never leaves (specification, States). */
export const terminalBenefitVerificationStatuses: readonly string[] = ['completed', 'failed', 'cancelled']

/** What a BV can say about the patient's coverage (supplement, BV). */
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

/** Who pays for the plan (specification, BV resource). */
export const planFundSources = ['commercial', 'government', 'question_not_asked', 'unable_to_determine'] as const

/** One drug with its result; the coverage fields are absent until the BV completes (supplement, BV). */
export const BenefitVerificationDrug = z.looseObject({
  name: lenient(z.string()),
  dosage: lenient(z.string()),
  ndc: lenient(z.string()),
  quantity: lenient(z.number()),
  coverage: lenient(lenientEnum(['covered', 'not_covered'])),
  coverage_detail_code: lenient(
    lenientEnum(['insurer_reported_value', 'diagnoses_not_covered', 'quantity_limit_pa_required']),
  ),
  prior_authorization_required: lenient(lenientEnum(['yes', 'no', 'not_applicable'])),
  has_active_prior_auth: lenient(z.boolean()),
  copay: lenient(z.string()),
  copay_options: lenientList(CopayOption),
  determination_details: lenient(
    z.looseObject({
      is_on_formulary: lenient(z.boolean()),
      is_explicit_plan_exclusion: lenient(z.boolean()),
      is_prior_auth_acting_as_exception_request: lenient(z.boolean()),
    }),
  ),
})
export type BenefitVerificationDrug = z.infer<typeof BenefitVerificationDrug>

/** How the benefits were verified (specification, BV resource). */
export const VerificationMethod = z.looseObject({
  id: lenient(z.string()),
  type: lenient(lenientEnum(['ai_call', 'call_fallback'])),
  transcript: lenient(z.string()),
  recording_url: lenient(z.string()),
})
export type VerificationMethod = z.infer<typeof VerificationMethod>

const NamedDrug = z.looseObject({ name: lenient(z.string()) })

/** A benefit verification as GET returns it; only `id` and `status` are relied on (specification, BV resource). */
export const BenefitVerification = z.looseObject({
  id: z.string().min(1),
  object: lenient(z.string()),
  status: lenientEnum(benefitVerificationStatuses),
  status_description: lenient(z.string()),
  review_status: lenient(lenientEnum(['reviewed', 'not_reviewed'])),
  drugs: lenientList(BenefitVerificationDrug),
  diagnoses,
  patient: lenient(Patient),
  provider: lenient(Provider),
  insurance: insuranceRecords,
  patient_coverage_status: lenient(lenientEnum(patientCoverageStatuses)),
  patient_coverage_type: lenient(lenientEnum(patientCoverageTypes)),
  patient_plan_fund_source: lenient(lenientEnum(planFundSources)),
  pharmacy_benefit_manager_name: lenient(z.string()),
  error: lenient(
    z.looseObject({
      title: lenient(z.string()),
      code: lenient(z.string()),
      detail_code: lenient(z.string()),
      message: lenient(z.string()),
      detail_message: lenient(z.string()),
    }),
  ),
  triggered_by_pa_id: lenient(z.string()),
  replaces: lenient(z.string()),
  replaced_by: lenient(z.string()),
  drug_history: lenient(
    z.looseObject({ currently_taking_drugs: lenientList(NamedDrug), previously_taken_drugs: lenientList(NamedDrug) }),
  ),
  entity: lenient(z.looseObject({ legal_name: lenient(z.string()), tax_id: lenient(z.string()) })),
  verification_methods: lenientList(VerificationMethod),
  /** 0 critical, 1 high, 2 medium, 3 low (supplement, PA create). */
  priority: lenient(z.number()),
  /** The result that was asked for of a sandbox. */
  mock_result: lenient(
    z.looseObject({
      status: lenient(lenientEnum(['completed', 'failed'])),
      case: lenient(lenientEnum(benefitVerificationCases)),
    }),
  ),
})
export type BenefitVerification = z.infer<typeof BenefitVerification>
