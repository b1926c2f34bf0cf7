import { z } from 'zod'
import {
  benefitVerificationCases,
  BenefitVerificationError,
  BenefitVerificationResource,
  VerifiedDrug,
} from 'pawl-client/schemas/benefit-verification'

const { code, detail_code, title, message, detail_message } = BenefitVerificationError.shape

const DrugResult = VerifiedDrug.pick({
  coverage: true,
  coverage_detail_code: true,
  prior_authorization_required: true,
  has_active_prior_auth: true,
  copay: true,
  copay_options: true,
  determination_details: true,
}).partial()

/** Fields of a result besides the drugs. */
export const ShownResult = BenefitVerificationResource.pick({
  review_status: true,
  patient_coverage_status: true,
  patient_coverage_type: true,
  patient_plan_fund_source: true,
  pharmacy_benefit_manager_name: true,
  verification_methods: true,
}).partial()

/** A control's push of a BV: a new status, and results that override the scripted ones. */
export const BenefitVerificationPush = z.strictObject({
  status: z.string().min(1),
  /** Goes with `failed`. Omitted fields follow from the code. */
  error: z
    .strictObject({
      code,
      detail_code: detail_code.optional(),
      title: title.optional(),
      message: message.optional(),
      detail_message: detail_message.optional(),
    })
    .optional(),
  /** Goes with `completed`: the case of every drug. */
  case: z.enum(benefitVerificationCases).exclude(['patient_consent_required']).optional(),
  /** Goes with `completed`: results of single drugs, in order. */
  drugs: z.array(DrugResult).optional(),
  ...ShownResult.shape,
})
export type BenefitVerificationPush = Omit<z.infer<typeof BenefitVerificationPush>, 'status'>

/** The part of a push that is shown verbatim. */
export interface PushedResult extends z.infer<typeof ShownResult> {
  drugs?: z.infer<typeof DrugResult>[]
}

/** Overrides the scripted results with those of a push. */
export function showPushed(resource: BenefitVerificationResource, { drugs = [], ...shown }: PushedResult = {}): void {
  Object.assign(resource, shown)
  for (const [index, result] of drugs.entries()) Object.assign(resource.drugs[index] ?? {}, result)
}
