import type { RunDelivery } from './run-deliveries.ts'
import type { ExpectedEvent } from './schema.ts'

/** The media type of a run's progress, line by line; asked for with `Accept`. */
export const progressType = 'application/x-ndjson'

/** What a run tells while it goes on. */
export type RunProgress =
  | { kind: 'started'; scenario: string; summary: string; organization: string; steps: number; events: ExpectedEvent[] }
  | { kind: 'step'; number: number; does: string; ids: Record<string, string> }
  | ({ kind: 'ended' } & Run)

/** How a run came out. */
export interface Run {
  scenario: string
  /** Whether every step was done and every resource ended as the scenario says. */
  ok: boolean
  /** What went wrong, with the number of the step; what is legal is named. */
  faults: string[]
  ids: Record<string, string>
  /** The status of every resource now. */
  ends: Record<string, string>
  /** Whether the organization has a webhook that is not disabled. */
  listens: boolean
  /** In the order in which they were sent. */
  deliveries: RunDelivery[]
}
