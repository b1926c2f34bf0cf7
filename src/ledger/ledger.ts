import type { ResourceKind } from '../resources/kinds.ts'
import type { EventSource, ProgressState } from './tables.ts'

/** What the receiver, a poll or a replay hands to the ledger. */
export interface Delivery {
  /** `undefined` where the envelope had no usable `data.id`. */
  resourceId: string | undefined
  /** `undefined` where no handler can follow it. */
  kind: ResourceKind | undefined
  eventType: string
  /** The envelope's own `event_id`, where it has one. */
  eventKey: string | undefined
  /** The raw body. */
  body: Uint8Array
  source: EventSource
}

export interface Accepted {
  /** Of a duplicate: the event that it repeats. */
  eventId: number
  duplicate: boolean
}

/** An event without its body. */
export interface EventRecord {
  id: number
  type: string
  receivedAt: number
  source: EventSource
  repeats: number
}

/** A JSON document as the ledger gives it back: its text, or why its seal could not be opened. `readDocument` reads it. */
export type Document = { text: string } | { broken: string }

/** A resource's state as the API last gave it. */
export interface Snapshot {
  /** The `data` object of the GET, as it came. */
  document: Document
  /** The newest event when the GET began. */
  eventId: number
}

export interface Progress {
  state: ProgressState
  handledEventId: number
  triedEventId: number
  /** The snapshot that it last succeeded with. */
  baseline: Document | undefined
  attempts: number
  /** Milliseconds until its next run, counted from the claim; absent where none is set. */
  dueInMs: number | undefined
}

/** What a claim proves itself by. */
export interface ClaimToken {
  resourceId: string
  /** Names the holder; no other claim ever has the same. */
  owner: string
  /** When it was claimed. */
  newestEventId: number
  /** Handlers that were parked when it was claimed. */
  parked: readonly string[]
}

/** The right to work on one resource, until the lease ends, and all that is known of it. */
export interface Claim extends ClaimToken {
  kind: ResourceKind
  /** When it was claimed, by the ledger's clock, which is not this process's: delays are told to the ledger in milliseconds, never as times. */
  claimedAt: number
  /** Claims before this one, in a row, that nobody gave back: their processes died, or could not act in time. */
  claimsLost: number
  /** When we first heard of it. */
  firstEventAt: number
  snapshot: Snapshot | undefined
  terminal: boolean
  progress: ReadonlyMap<string, Progress>
  /** Those that one of its handlers is not in step with, oldest first. */
  events: readonly EventRecord[]
  /** The body of the event `newestEventId`, where that is one of them. */
  newestBody: Document | undefined
}

/** The names of the handlers that follow each kind of resource. */
export type HandlerNames = Readonly<Partial<Record<ResourceKind, readonly string[]>>>

/** One run of one handler, as the ledger remembers it. */
export interface Run {
  handler: string
  startedAt: number
  finishedAt: number
  /** The events that the run covered. */
  firstEventId: number
  lastEventId: number
  writes: readonly { system: string; type: string; id: string; version?: string }[]
}

export interface Failure extends Run {
  error: { code: string; message: string }
  attempts: number
  /** Milliseconds until the next attempt; `undefined` parks it. */
  delayMs: number | undefined
}

/** A resource that may have changed unheard. */
export interface Pollable {
  resourceId: string
  kind: ResourceKind
  snapshot: Document | undefined
  ageMs: number
}

/** What the holder of a claim found out, to be recorded. */
export type Note =
  /** What the GET answered, as JSON, and the newest event when it began. */
  | { of: 'snapshot'; text: string; eventId: number; terminal: boolean; pollInMs: number | undefined }
  /** A run that brought its handler into step with the snapshot, which becomes its baseline. */
  | { of: 'success'; run: Run }
  | { of: 'failure'; run: Failure }

/** How a resource is given back. */
export interface Release {
  notes: readonly Note[]
  dueInMs: number | undefined
  restMs: number
  /** What stays of `claimsLost` where nothing was tried; else none. */
  claimsLost?: number
}

export interface Parked {
  resourceId: string
  kind: ResourceKind
  handler: string
  attempts: number
  errorCode: string
  errorMessage: string
}

/** What one handler failed at and will try again. */
export interface Failing {
  handler: string
  /** Resources; 10,000 are counted at the most. */
  count: number
  /** The one that has not been brought any further for the longest time. */
  oldest: {
    resourceId: string
    /** Since the first failure after its last success, in milliseconds. */
    forMs: number
    attempts: number
    errorCode: string
    errorMessage: string
  }
}

/** Deliveries that were refused for one reason. */
export interface Refused {
  reason: string
  count: number
}

/** How a connector finds again what it wrote to its system: ids and a digest, never content. */
export interface Remembered {
  id: string
  /** The system's own version of it, where it has versions. */
  version?: string | undefined
  /** Tells whether what would be written differs from what was. */
  digest?: string | undefined
}

/** What one resource cost and how it stands. */
export interface ResourceRecord {
  id: string
  kind: ResourceKind
  events: number
  repeats: number
  reads: number
  writes: number
  terminal: boolean
  dueAt: number | undefined
  progress: { handler: string; state: ProgressState; handledEventId: number }[]
}

export interface Counts {
  events: number
  unhandled: number
  resources: number
  due: number
  parked: number
  /** Resources whose poll is due. */
  toPoll: number
}

/** All that is needed to open a ledger, in a form that can be sent to another thread. */
export interface LedgerSettings {
  /** `file:<path>` or `postgres://…` */
  databaseUrl: string
  /** 32 bytes each, the newest first. */
  sealingKeys: readonly Uint8Array[]
}

/** The only durable truth (docs/design.md). Every promise that resolves after a write means: committed and synced. */
export interface Ledger {
  /** Stores one delivery, or counts it as a duplicate (rule 2); atomic across processes. */
  accept(delivery: Delivery): Promise<Accepted>
  /** Notes a refused delivery, soon, in bounded number and without waiting: refusals must cost an attacker more than us. */
  reject(rejection: { reason: string; bytes: number }): void

  /** Resources with work to do now that nobody holds, the longest waiting first. */
  due(limit: number): Promise<string[]>
  /** Milliseconds until the next resource comes due or is freed by an ended lease; negative when it already is. */
  nextDueIn(): Promise<number | undefined>

  /** Looks whether the clock was set since the last look, and if so ends every wait and begins every lease anew; resolves with whether it was. */
  followClock(leaseMs: number): Promise<boolean>
  /** Takes a resource that is due; `undefined` when it is not due or another holds it, or the clock was set and `followClock` was not called since. */
  claim(resourceId: string, leaseMs: number, handlerNames: HandlerNames): Promise<Claim | undefined>
  /** Prolongs the lease; false when the claim was lost. */
  renew(token: ClaimToken, leaseMs: number): Promise<boolean>
  /** Records all of the notes, in their order, or none. Throws `ClaimLost`. */
  record(token: ClaimToken, notes: readonly Note[]): Promise<void>
  /** Records the notes and gives the resource back, to come due after `dueInMs`, or after `restMs` if an event newer than `newestEventId` was stored meanwhile; events of the next `restMs` wait for their end. Resolves with the delay set. Throws `ClaimLost`. */
  release(token: ClaimToken, next: Release): Promise<number | undefined>

  /** The bodies of all events of the resource, oldest first. */
  bodies(resourceId: string): Promise<{ eventId: number; body: Uint8Array }[]>
  /** What `once` recorded of this effect: the JSON of what it returned, which is absent where it returned nothing; `undefined` where it never succeeded. */
  effect(resourceId: string, handler: string, key: string): Promise<{ document: Document | undefined } | undefined>
  recordEffect(resourceId: string, handler: string, key: string, json?: string): Promise<void>

  /** What a connector remembers of a resource under one of its roles. */
  readMemory(system: string, resourceId: string, role: string): Promise<Remembered | undefined>
  /** Remembers it in place of what was there; committed at once. Throws `ClaimLost`. */
  writeMemory(token: ClaimToken, system: string, role: string, remembered: Remembered): Promise<void>

  /** Resources whose next poll has come, with the snapshot to compare with. */
  pollable(limit: number): Promise<Pollable[]>
  /** Has every resource polled soon that may still change, and every one that rang since then; resolves with their number. */
  pollSoon(since: number): Promise<number>
  /** Notes that a poll found nothing new, and when the next one comes. */
  notePoll(resourceId: string, pollInMs: number | undefined): Promise<void>

  parked(limit: number): Promise<Parked[]>
  /** Makes parked work due again, of one resource, of one handler, or of both; resolves with the resources concerned. */
  retryParked(filter: { resourceId?: string | undefined; handler?: string | undefined }): Promise<string[]>

  /** What these handlers failed at and will try again, of each the oldest; handlers without such work are left out. */
  failing(handlerNames: readonly string[]): Promise<Failing[]>
  /** Deliveries refused within the last `withinMs`, by reason, as far as they were noted: a hundred a second, and of all about the newest 10,000. */
  refused(withinMs: number): Promise<Refused[]>

  /** Systems that some process found away, with the milliseconds for which it leaves them alone. */
  outages(): Promise<{ system: string; remainingMs: number }[]>
  /** Tells all processes that a system is away for now, or, without `forMs`, that it is back. */
  noteOutage(system: string, forMs: number | undefined): Promise<void>

  /** One small step of deleting what is older than `keepMs`: events after `cursor` without due or parked work, then snapshots of terminal resources. Resolves with the cursor of the next step; absent at the end. */
  purge(keepMs: number, cursor: number): Promise<{ deleted: number; cursor: number | undefined }>

  resource(id: string): Promise<ResourceRecord | undefined>
  counts(): Promise<Counts>
  /** Waits for writes in progress, then closes. */
  close(): Promise<void>
}
