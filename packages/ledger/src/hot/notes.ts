import type { FieldChange } from 'pawl-client/schemas/describe-change'
import type { Identifier } from 'pawl-client/schemas/identifier-fields'
import type { OutcomeFacts } from 'pawl-client/schemas/outcome-facts'
import type { GiveBack } from './claim.ts'
import type { Remembered } from '@pawl/base/system-notes'
import type { PersonWait } from './person-wait.ts'

/** One recorded run of one handler. */
export interface Run {
  handler: string
  startedAt: number
  finishedAt: number
  /** The events that the run covered. */
  firstEventId: number
  lastEventId: number
  writes: readonly { system: string; type: string; id: string; version?: string }[]
  /** Writes skipped because the system does not support them. */
  leftOut?: readonly { system: string; type: string; reason: string }[]
}

export interface Failure extends Run {
  /** `system`: the system it failed at, if known. */
  error: { code: string; message: string; system?: string | undefined; httpStatus?: number | undefined }
  attempts: number
  /** Milliseconds until the next attempt; `undefined` parks it. */
  delayMs: number | undefined
  /** Milliseconds until a parked run is retried anyway; absent: only a person retries it. */
  parkedAgainMs?: number | undefined
}

/** Facts stored beside a snapshot. */
export interface SnapshotFacts {
  readAt: number
  /** Fields that differ from the previous snapshot; empty if none do. */
  changes: readonly FieldChange[]
  /** Identifiers for lookups. */
  identifiers: readonly Identifier[]
  personWait?: PersonWait
  /** Facts for the report; absent for a resource that the report does not count. */
  outcome?: OutcomeFacts
}

/** The service's answer about a resource. */
export interface SnapshotNote {
  of: 'snapshot'
  /** JSON; `undefined`: that of the snapshot already stored. */
  text: string | undefined
  /** The newest event when the GET began. */
  eventId: number
  terminal: boolean
  /** Milliseconds until the next poll; `undefined`: no further poll. */
  pollInMs: number | undefined
  facts?: SnapshotFacts
}

/** A result of the work under a claim, to be recorded. */
export type Note =
  | SnapshotNote
  /** A run that brought its handler in sync with the snapshot, which becomes its baseline. */
  | { of: 'success'; run: Run }
  | { of: 'failure'; run: Failure }
  /** Stops polling until the next event or retry. */
  | { of: 'no_poll' }
  /** The id, version and digest that a connector stores under one of its roles. */
  | { of: 'memory'; system: string; role: string; remembered: Remembered; isShared?: boolean }

/** How a resource is given back, with the notes still to record. */
export interface Release extends GiveBack {
  notes: readonly Note[]
}
