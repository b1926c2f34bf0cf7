import { z } from 'zod'
import {
  benefitVerificationStatuses,
  patientCoverageStatuses,
  patientCoverageTypes,
  planFundSources,
} from '../../resources/benefit-verification.ts'
import {
  benefitVerificationErrorCodes,
  benefitVerificationErrorDetailCodes,
} from '../../resources/benefit-verification-errors.ts'
import { BenefitVerificationRequest } from '../../resources/requests/benefit-verification.ts'
import { diagnosesRequest, PatientRequest, ProviderRequest } from '../../resources/requests/people.ts'
import { InsuranceRecord } from '../files/insurance-records.ts'

const string = z.string()
const flag = z.boolean()

/** What a supply of so many days costs the patient. */
export const CopayOption = z.strictObject({ amount_cents: z.int(), supply_duration_days: z.int() })

/** One drug of a BV; its results are null until the BV completes (supplement, BV). */
export const VerifiedDrug = z.strictObject({
  name: string.nullable(),
  dosage: string.nullable(),
  ndc: string.nullable(),
  quantity: z.number().nullable(),
  coverage: z.enum(['covered', 'not_covered']).nullable(),
  coverage_detail_code: z
    .enum(['insurer_reported_value', 'diagnoses_not_covered', 'quantity_limit_pa_required'])
    .nullable(),
  prior_authorization_required: z.enum(['yes', 'no', 'not_applicable']).nullable(),
  has_active_prior_auth: flag.nullable(),
  copay: string.nullable(),
  copay_options: z.array(CopayOption),
  determination_details: z
    .strictObject({
      is_on_formulary: flag,
      is_explicit_plan_exclusion: flag,
      is_prior_auth_acting_as_exception_request: flag,
    })
    .nullable(),
})
export type VerifiedDrug = z.infer<typeof VerifiedDrug>

/** `error` of a failed BV (supplement, BV). */
export const BenefitVerificationError = z.strictObject({
  title: string,
  code: z.enum(benefitVerificationErrorCodes),
  detail_code: z.enum(benefitVerificationErrorDetailCodes).nullable(),
  message: string,
  detail_message: string.nullable(),
})
export type BenefitVerificationError = z.infer<typeof BenefitVerificationError>

const submitted = BenefitVerificationRequest.shape

/** A BV as GET returns it and its event carries it (specification, BV resource; supplement, BV). */
export const BenefitVerificationResource = z.strictObject({
  id: string,
  object: z.literal('benefit_verification'),
  status: z.enum(benefitVerificationStatuses),
  status_description: string,
  review_status: z.enum(['reviewed', 'not_reviewed']),
  drugs: z.array(VerifiedDrug),
  drug_history: submitted.drug_history.unwrap().nullable(),
  diagnoses: diagnosesRequest,
  patient: PatientRequest,
  provider: ProviderRequest,
  entity: submitted.entity.unwrap().nullable(),
  insurance: z.array(InsuranceRecord),
  patient_coverage_status: z.enum(patientCoverageStatuses).nullable(),
  verification_methods: z.array(
    z.strictObject({
      id: string,
      type: z.enum(['ai_call', 'call_fallback']),
      transcript: string.nullable(),
      recording_url: string.nullable(),
    }),
  ),
  patient_plan_fund_source: z.enum(planFundSources),
  patient_coverage_type: z.enum(patientCoverageTypes),
  pharmacy_benefit_manager_name: string.nullable(),
  priority: z.int(),
  error: BenefitVerificationError.nullable(),
  replaces: string.nullable(),
  replaced_by: string.nullable(),
  triggered_by_pa_id: string.nullable(),
  mock_result: submitted.mock_result.unwrap().nullable(),
})
export type BenefitVerificationResource = z.infer<typeof BenefitVerificationResource>
