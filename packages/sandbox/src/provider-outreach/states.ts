import type { outreachSequenceStates, outreachStates } from 'pawl-client/schemas/provider-outreach'
import { hours, minutes, type Row } from '../platform/machine.ts'

export type OutreachState = keyof typeof outreachStates
export type OutreachSequenceState = keyof typeof outreachSequenceStates

export type OutreachCondition = 'cannotBeSent' | 'isAnswered'

const running: readonly OutreachState[] = ['created', 'sent', 'delivered']

/** The transitions of an attempt. An attempt that expires or fails does not end the PA (supplement, Webhooks). The delays are guesses. */
export const providerOutreachRows: readonly Row<OutreachState, OutreachCondition>[] = [
  { from: 'created', to: 'failed', after: minutes(1, 10), when: 'cannotBeSent' },
  { from: 'created', to: 'sent', after: minutes(1, 10) },
  { from: 'sent', to: 'delivered', after: minutes(1, 30) },
  { from: 'delivered', to: 'responded', after: hours(1, 24), when: 'isAnswered' },
  { from: 'delivered', to: 'expired', after: hours(48, 72) },
  { from: 'sent', to: 'failed' },
  ...running.map((from) => ({ from, to: 'cancelled' as const })),
]

/** Whether the state is terminal: the table has no row that leaves it. */
export function isOver(state: OutreachState): boolean {
  return !providerOutreachRows.some(({ from }) => from === state)
}
