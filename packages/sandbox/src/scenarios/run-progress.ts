import type { RunDelivery } from './run-deliveries.ts'
import type { Happened } from './run-story.ts'
import type { ExpectedEvent } from './schema.ts'

/** Media type of a run's progress, line by line; requested with `Accept`. */
export const progressType = 'application/x-ndjson'

/** Progress of a run. */
export type RunProgress =
  | { kind: 'started'; scenario: string; summary: string; organization: string; steps: number; events: ExpectedEvent[] }
  | { kind: 'step'; number: number; does: string; ids: Record<string, string> }
  | ({ kind: 'ended' } & Run)

/** A step that ran, the last one perhaps with a fault. */
export interface RunStep {
  number: number
  does: string
  happened: Happened[]
  fault?: string
}

/** Result of a run. */
export interface Run {
  scenario: string
  /** Whether every step succeeded and every resource ended as expected. */
  ok: boolean
  /** Errors, with the number of the step and the legal values. */
  faults: string[]
  ids: Record<string, string>
  /** Final status of every resource, by name. */
  ends: Record<string, string>
  /** Whether the organization has an enabled webhook. */
  listens: boolean
  /** In order of sending. */
  deliveries: RunDelivery[]
  steps: RunStep[]
}
