import type { State } from './envelopes.ts'

const steps = [
  { status: 'processing', messages: 0 },
  { status: 'awaiting_review', messages: 0 },
  { status: 'awaiting_outcome', messages: 1 },
  { status: 'validating_outcome', messages: 2 },
  { status: 'completed', messages: 2 },
]

/** How many events a PA's journey has. */
export const journeyLength = steps.length

/** The state of a PA after an event of its journey, from 0: sent, waiting for staff, with two messages of the payer, approved. */
export function journeyState(pa: number, version: number): State {
  return { pa, version, ...steps[version] }
}
