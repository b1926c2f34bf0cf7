import type { FieldChange } from '../../service/schemas/describe-change.ts'
import type { Identifier } from '../../service/schemas/identifiers.ts'
import type { OutcomeFacts } from '../../service/schemas/outcome-facts.ts'
import type { GiveBack } from './claims.ts'
import type { Remembered } from './shared-memory.ts'
import type { Standing } from './standing-row.ts'

/** One run of one handler, as the ledger remembers it. */
export interface Run {
  handler: string
  startedAt: number
  finishedAt: number
  /** The events that the run covered. */
  firstEventId: number
  lastEventId: number
  writes: readonly { system: string; type: string; id: string; version?: string }[]
  /** What was not written, since the system does not take it. */
  leftOut?: readonly { system: string; type: string; reason: string }[]
}

export interface Failure extends Run {
  /** `system`: the one that it failed at, where that is known. */
  error: { code: string; message: string; system?: string | undefined }
  attempts: number
  /** Milliseconds until the next attempt; `undefined` parks it. */
  delayMs: number | undefined
  /** Where it is parked: milliseconds until it is tried again all the same; absent: it rests. */
  parkedAgainMs?: number | undefined
}

/** What the ledger keeps of a snapshot beside the snapshot itself. */
export interface SnapshotFacts {
  readAt: number
  /** In which fields it differs from the one before; none where it says the same. */
  changes: readonly FieldChange[]
  /** What it can be looked up by: kept as digests alone. */
  identifiers: readonly Identifier[]
  standing?: Standing
  /** What the report needs of it; absent for what it does not count. */
  outcome?: OutcomeFacts
}

/** The service's answer about a resource. */
export interface SnapshotNote {
  of: 'snapshot'
  /** JSON. */
  text: string
  /** The newest event when the GET began. */
  eventId: number
  terminal: boolean
  /** Milliseconds until the next poll; without them there is none. */
  pollInMs: number | undefined
  facts?: SnapshotFacts
}

/** A result of the work under a claim, to be recorded. */
export type Note =
  | SnapshotNote
  /** A run that brought its handler into step with the snapshot, which becomes its baseline. */
  | { of: 'success'; run: Run }
  | { of: 'failure'; run: Failure }
  /** It is not polled until its next event or retry. */
  | { of: 'no_poll' }
  /** What a connector remembers from now on under one of its roles. */
  | { of: 'memory'; system: string; role: string; remembered: Remembered; isShared?: boolean }

/** How a resource is given back, with what is still to be recorded. */
export interface Release extends GiveBack {
  notes: readonly Note[]
}
