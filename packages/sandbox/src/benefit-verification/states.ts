import type { BenefitVerificationStatus } from 'pawl-client/schemas/benefit-verification'
import { hours, minutes, type Row } from '../platform/machine.ts'

export type BenefitVerificationCondition = 'failsInRealTime' | 'isRealTime' | 'fails'

/** The transitions of a BV (specification, States). The delays are guesses. */
export const benefitVerificationRows: readonly Row<BenefitVerificationStatus, BenefitVerificationCondition>[] = [
  { from: 'pending', to: 'failed', after: minutes(0.5, 2), when: 'failsInRealTime' },
  { from: 'pending', to: 'completed', after: minutes(0.5, 2), when: 'isRealTime' },
  { from: 'pending', to: 'failed', after: hours(2, 24), when: 'fails' },
  { from: 'pending', to: 'completed', after: hours(2, 24) },
  { from: 'pending', to: 'cancelled' },
]
