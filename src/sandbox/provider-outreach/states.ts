import { hours, minutes, type Row } from '../platform/machine.ts'

/** The states of one outreach attempt; only `sent` is documented, the others are a choice (supplement, Webhooks). */
export const outreachStates = ['created', 'sent', 'delivered', 'responded', 'expired', 'failed', 'cancelled'] as const
export type OutreachState = (typeof outreachStates)[number]

/** The states of the sequence of a PA's attempts; a choice as well. */
export const outreachSequenceStates = ['in_progress', 'completed', 'exhausted', 'cancelled'] as const
export type OutreachSequenceState = (typeof outreachSequenceStates)[number]

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
