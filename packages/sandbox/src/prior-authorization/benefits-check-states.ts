import { minutes, type Row } from '../platform/machine.ts'

/** A real-time benefits check of a PA. It completes at any status of the PA, even after its end (specification, Events). */
export type BenefitsCheckState = 'waiting' | 'completed' | 'stopped'

export const benefitsCheckRows: readonly Row<BenefitsCheckState, never>[] = [
  { from: 'waiting', to: 'completed', after: minutes(1, 48 * 60) },
  { from: 'waiting', to: 'stopped' },
  // Repeated by a control.
  { from: 'completed', to: 'completed' },
]
