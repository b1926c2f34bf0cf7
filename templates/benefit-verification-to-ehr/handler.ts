import { defineHandler } from '#pawl'

/** Keeps the patient's chart in sync with each benefit verification. */
export default defineHandler({
  name: 'benefit-verification-to-ehr',
  on: ['benefit_verification.status_change'],
  reads: 'all',
  async handle({ resource, ehr }) {
    await ehr.putBenefitVerification(resource)
  },
})
