import { PawlError } from '@pawl/base/errors'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Document } from '../sealing/documents.ts'
import type { MemoryBySystem } from './state-document.ts'
import type { OwnChangeNote } from './own-changes.ts'
import type { ProgressState } from '../tables.ts'
import type { EventRecord } from './event-record.ts'

/** A resource's state as the API last returned it. */
export interface Snapshot {
  /** The `data` object of the GET, verbatim. */
  document: Document
  /** The newest event when the GET began. */
  eventId: number
}

export interface Progress {
  state: ProgressState
  handledEventId: number
  triedEventId: number
  /** The snapshot of its last success. */
  baseline: Document | undefined
  /** The snapshots it has failed with since, newest last. */
  tried: readonly Document[]
  attempts: number
  /** Why its last run failed; absent after a success. */
  errorCode: string | undefined
  /** Milliseconds from the claim to its next run; absent where none is set. */
  dueInMs: number | undefined
}

/** Identifies and proves a claim. */
export interface ClaimToken {
  resourceId: string
  /** Unique per claim. */
  owner: string
  /** The resource's newest event at the time of the claim. */
  newestEventId: number
  /** Retries of the resource's parked work up to the claim. */
  retries: number
}

/** Picks the token out of a claim: calls that carry it may cross to another thread. */
export function tokenOf({ resourceId, owner, newestEventId, retries }: ClaimToken): ClaimToken {
  return { resourceId, owner, newestEventId, retries }
}

/** The right to work on one resource until the lease ends, with all its stored state. */
export interface Claim extends ClaimToken {
  kind: ResourceKind
  /** By the ledger's clock, not this process's: the ledger takes delays in milliseconds, never times. */
  claimedAt: number
  /** An earlier claim was never given back: its process died or stalled. The resource is worked on alone until it is given back. */
  suspect: boolean
  /** Consecutive claims never given back, with nothing else in work beside them. */
  claimsLost: number
  /** When its first event was stored. */
  firstEventAt: number
  snapshot: Snapshot | undefined
  terminal: boolean
  progress: ReadonlyMap<string, Progress>
  /** Connector memory of it, by system. */
  memory: MemoryBySystem
  /** Changes that pawl itself lately asked the service for. */
  ownChanges: readonly OwnChangeNote[]
  /** Events that at least one handler is not yet in sync with, oldest first. */
  events: readonly EventRecord[]
  /** The body of the event `newestEventId`, if it is among `events`. */
  newestBody: Document | undefined
}

/** How a resource is given back. */
export interface GiveBack {
  dueInMs: number | undefined
  restMs: number
  /** Nothing was tried: `suspect` and `claimsLost` stay. */
  untried?: boolean
}

/** The names of the handlers that follow each kind of resource. */
export type HandlerNames = Readonly<Partial<Record<ResourceKind, readonly string[]>>>

/** The lease ended and another worker may hold the claim: results of this run must not be recorded. */
export class ClaimLost extends PawlError {
  readonly code = 'claim_lost'
  override readonly retry = 'backoff'
}

/** A request to claim one resource; granted if it is due and free. */
export interface ClaimRequest {
  resourceId: string
  leaseMs: number
  handlerNames: HandlerNames
  alone: boolean
}
