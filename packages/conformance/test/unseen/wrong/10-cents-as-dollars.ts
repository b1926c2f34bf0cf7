import { type BenefitVerification, defineHandler } from '../../../../../src/index.ts'

type Drug = NonNullable<BenefitVerification['drugs']>[number]

/** Wrong: hands dollars to a port that takes the service's cents, so the chart shows a hundredth of each copay. */
export const handler = defineHandler({
  name: 'benefit-verification-to-ehr',
  on: ['benefit_verification.status_change'],
  async handle({ resource, ehr }) {
    await ehr.putBenefitVerification({ ...resource, drugs: resource.drugs?.map(inDollars) })
  },
})

/** People think of a copay in dollars. */
function inDollars(drug: Drug): Drug {
  if (drug.copay_options === undefined) return drug
  const options = drug.copay_options.map((option) => ({
    ...option,
    amount_cents: Math.round(option.amount_cents / 100),
  }))
  return { ...drug, copay_options: options }
}
