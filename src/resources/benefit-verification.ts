import { z } from 'zod'
import { open, openEnum, openList } from './open.ts'
import { CopayOption, diagnoses, insuranceRecords, Patient, Provider } from './shared.ts'

/** Every BV status that is documented (supplement, Statuses). */
export const benefitVerificationStatuses = ['pending', 'completed', 'failed', 'cancelled'] as const

/** Statuses that a BV never leaves (specification, States). */
export const terminalBenefitVerificationStatuses: readonly string[] = ['completed', 'failed', 'cancelled']

/** What a BV can say of the patient's coverage (supplement, BV). */
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

/** One drug with what was found out about it; coverage fields are absent until the BV completes (supplement, BV). */
export const BenefitVerificationDrug = z.looseObject({
  name: open(z.string()),
  dosage: open(z.string()),
  ndc: open(z.string()),
  quantity: open(z.number()),
  coverage: open(openEnum(['covered', 'not_covered'])),
  coverage_detail_code: open(z.string()),
  prior_authorization_required: open(openEnum(['yes', 'no', 'not_applicable'])),
  copay: open(z.string()),
  copay_options: openList(CopayOption),
  determination_details: open(
    z.looseObject({
      is_on_formulary: open(z.boolean()),
      is_explicit_plan_exclusion: open(z.boolean()),
      is_prior_auth_acting_as_exception_request: open(z.boolean()),
    }),
  ),
})
export type BenefitVerificationDrug = z.infer<typeof BenefitVerificationDrug>

/** A benefit verification as GET returns it; only `id` and `status` are relied upon (specification, BV resource). */
export const BenefitVerification = z.looseObject({
  id: z.string().min(1),
  object: open(z.string()),
  status: openEnum(benefitVerificationStatuses),
  status_description: open(z.string()),
  review_status: open(openEnum(['reviewed', 'not_reviewed'])),
  drugs: openList(BenefitVerificationDrug),
  diagnoses,
  patient: open(Patient),
  provider: open(Provider),
  insurance: insuranceRecords,
  patient_coverage_status: open(openEnum(patientCoverageStatuses)),
  patient_coverage_type: open(z.string()),
  patient_plan_fund_source: open(z.string()),
  pharmacy_benefit_manager_name: open(z.string()),
  error: open(
    z.looseObject({
      title: open(z.string()),
      code: open(z.string()),
      detail_code: open(z.string()),
      message: open(z.string()),
      detail_message: open(z.string()),
    }),
  ),
  replaces: open(z.string()),
  replaced_by: open(z.string()),
})
export type BenefitVerification = z.infer<typeof BenefitVerification>
