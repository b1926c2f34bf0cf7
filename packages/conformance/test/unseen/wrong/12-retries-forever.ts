import { setTimeout as sleep } from 'node:timers/promises'
import { defineHandler } from '../../../../../src/index.ts'

/** Wrong: repeats a failed write inside the run without end, and goes on after the run is over. */
export const handler = defineHandler({
  name: 'benefit-verification-to-ehr',
  on: ['benefit_verification.status_change'],
  async handle({ resource, ehr, log }) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await ehr.putBenefitVerification(resource)
        return
      } catch (error) {
        log.warn({ error, attempt }, 'the chart is away: once more')
        await sleep(100)
      }
    }
  },
})
