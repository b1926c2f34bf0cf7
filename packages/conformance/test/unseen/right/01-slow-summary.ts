import { setTimeout as sleep } from 'node:timers/promises'
import { type BenefitVerification, defineHandler } from '../../../../../src/index.ts'

const pauseMs = 1_500

/** Odd: waits before it writes, but heeds the signal, and takes less than its time limit. */
export const handler = defineHandler({
  name: 'coverage-summary',
  on: ['benefit_verification.status_change'],
  timeoutMs: 30_000,
  async handle({ resource, ehr, signal }) {
    if (resource.status !== 'completed') return
    // The chart sorts notes by the second; this one follows the findings.
    await sleep(pauseMs, undefined, { signal })
    await ehr.putNote(resource, { key: 'summary', title: 'Coverage in short', text: summaryOf(resource) })
  },
})

function summaryOf({ drugs = [] }: BenefitVerification): string {
  const covered = drugs.filter(({ coverage }) => coverage === 'covered')
  const needing = covered.filter((drug) => drug.prior_authorization_required === 'yes')
  return [
    `Drugs verified: ${drugs.length}.`,
    `Covered: ${covered.length}.`,
    `Covered with a prior authorization only: ${needing.length}.`,
  ].join('\n')
}
