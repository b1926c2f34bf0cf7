import { defineHandler } from '../../../../../src/index.ts'

/** Wrong: logs every error of the chart and ends as a success, so a failed write is never repeated. */
export const handler = defineHandler({
  name: 'benefit-verification-to-ehr',
  on: ['benefit_verification.status_change'],
  async handle({ resource, ehr, log }) {
    try {
      await ehr.putBenefitVerification(resource)
      log.info({ status: resource.status, count: resource.drugs?.length ?? 0 }, 'benefits are in the chart')
    } catch (error) {
      // One resource that the chart refuses must not hold up the others.
      log.error({ error, status: resource.status }, 'the chart did not take the benefits')
    }
  },
})
