import type {
  AlertRecord,
  AlertTargetRecord,
  AlertTurn,
  AlertTurnEnd,
  AlertTurnWanted,
  FoundAlert,
} from './alerts/alert-records.ts'
import type { Actor, AuditEntry, AuditRecord } from './audit/audit-entry.ts'
import type { Discarded } from './upkeep/discard.ts'
import type { Erased } from './upkeep/erase.ts'
import type { Forgettable } from './upkeep/forget-memory.ts'
import type { AuditEnd, AuditState } from './audit/audit.ts'
import type { AuditCursor, AuditFilter } from './audit/read-audit.ts'
import type { AuditVerdict } from './audit/verify-audit.ts'
import type { Unknown } from '../service/schemas/drift.ts'
import type { FieldChange } from '../service/schemas/describe-change.ts'
import type { Identifier, IdentifierField } from '../service/schemas/identifiers.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import type { Grouping, OutcomeFacts, Result } from '../service/schemas/outcome-facts.ts'
import type { EventSource, ProgressState } from './tables.ts'

/** What the receiver, a poll or a command hands to the ledger. */
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
  /** Of the span that it is received in (W3C Trace Context); absent where nothing is traced. */
  traceparent?: string | undefined
}

export interface Accepted {
  /** Of a duplicate: the event that it repeats. */
  eventId: number
  duplicate: boolean
  /** By what log lines and spans about the event are found. */
  traceId: string
  /** Of the span in which the event was received, where that was traced. */
  traceparent?: string | undefined
}

/** An event without its body. */
export interface EventRecord {
  id: number
  type: string
  receivedAt: number
  source: EventSource
  repeats: number
  /** Of the span that it was received in, where that was traced. */
  traceparent?: string
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
  /** An array of the snapshots that it failed with since, the newest last. */
  tried: Document | undefined
  attempts: number
  /** Why its last run failed; absent after a success. */
  errorCode: string | undefined
  /** Milliseconds until its next run, counted from the claim; absent where none is set. */
  dueInMs: number | undefined
}

/** A change that pawl itself asked the service for: no content, only what is needed to know it again. */
export interface OwnChangeNote {
  name: string
  /** Tells one such change from another, such as the id of a pharmacy. */
  value?: string
  /** The newest event of the resource when it was asked for. */
  afterEventId: number
  at: number
}

/** What a claim proves itself by. */
export interface ClaimToken {
  resourceId: string
  /** Names the holder; no other claim ever has the same. */
  owner: string
  /** The resource's newest event when it was claimed. */
  newestEventId: number
  /** How often parked work of the resource had been retried when it was claimed. */
  retries: number
}

/** The right to work on one resource, until the lease ends, and all that is known of it. */
export interface Claim extends ClaimToken {
  kind: ResourceKind
  /** When it was claimed, by the ledger's clock, which is not this process's: delays are told to the ledger in milliseconds, never as times. */
  claimedAt: number
  /** A claim on it was never given back: its process died, or could not act in time. It is to be worked on alone, until it is given back. */
  suspect: boolean
  /** Claims in a row that were never given back although nothing else was in work beside them. */
  claimsLost: number
  /** When its first event was stored. */
  firstEventAt: number
  snapshot: Snapshot | undefined
  terminal: boolean
  progress: ReadonlyMap<string, Progress>
  /** What pawl itself asked the service for lately. */
  ownChanges: readonly OwnChangeNote[]
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

/** A resource that may have changed without a webhook, and what is known of it. */
export interface Pollable {
  resourceId: string
  kind: ResourceKind
  snapshot: Document | undefined
  ageMs: number
  newestEventId: number
  /** Its newest webhook, where that came minutes ago at most. */
  webhook: { body: Document | undefined; ageMs: number } | undefined
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

/** Whether a resource waits for a person, as its snapshot tells. */
export interface Standing {
  /** Why, as a code; absent where it does not. */
  waitsFor?: string | undefined
  /** The resource that it was sent in place of. */
  followsUp?: string | undefined
}

/** What a poll found, and the milliseconds until the next one; without them there is none. */
export type PollResult =
  | { of: 'unchanged' | 'failed'; pollInMs: number | undefined; standing?: Standing }
  /** The answer as JSON, and the event that tells of it. */
  | {
      of: 'changed'
      pollInMs: number | undefined
      text: string
      terminal: boolean
      event: Delivery
      facts?: SnapshotFacts
    }

/** What the holder of a claim found out, to be recorded. */
export type Note =
  /** What the GET answered, as JSON, and the newest event when it began. */
  | {
      of: 'snapshot'
      text: string
      eventId: number
      terminal: boolean
      pollInMs: number | undefined
      facts?: SnapshotFacts
    }
  /** A run that brought its handler into step with the snapshot, which becomes its baseline. */
  | { of: 'success'; run: Run }
  | { of: 'failure'; run: Failure }
  /** It is not polled until its next event or retry. */
  | { of: 'no_poll' }
  /** What a connector remembers from now on under one of its roles. */
  | { of: 'memory'; system: string; role: string; remembered: Remembered; isShared?: boolean }

/** How a resource is given back. */
export interface Release {
  notes: readonly Note[]
  dueInMs: number | undefined
  restMs: number
  /** Nothing was tried: what it is suspected of stays. */
  untried?: boolean
}

/** How work stands that failed: `parked` is out of attempts; `failing` is tried again by itself; `waiting` goes on once a hold is lifted, a system is back, or it is known whose fault its failure is. */
export type WorkState = 'parked' | 'failing' | 'waiting'

/** What tells one group of failed work from another: all of it failed at the same, the same way. */
export interface WorkKey {
  state: WorkState
  handler: string
  /** The system that it failed at; empty where that is not known. */
  system: string
  errorCode: string
}

/** Failed work of one kind. */
export interface WorkGroup extends WorkKey {
  /** Resources; `maxFailuresCounted` at the most. */
  count: number
  /** The number of the failure that came last: what failed later has a higher one. */
  newest: number
  newestAt: number | undefined
  oldestAt: number | undefined
  /** What the newest failure said. */
  message: string
  /** Where it was asked for and the work is not parked: the piece that was tried most often, and how many have reached the same of the numbers of attempts that were asked for; 0 where none was reached. */
  mostTried?: { resourceId: string; attempts: number; reached: number }
}

/** One piece of failed work. */
export interface Work extends PieceOfWork, WorkKey {
  kind: ResourceKind
  attempts: number
  errorMessage: string
  failureId: number
  failedAt: number | undefined
  /** When it is tried again; absent where it is parked, unless it is tried again all the same. */
  dueAt: number | undefined
  /** Milliseconds until it is tried; not positive when it may be now; absent where it is parked. */
  dueInMs: number | undefined
  /** Somebody works on its resource now. */
  isClaimed: boolean
}

/** Behind which piece of work to go on reading. */
export type WorkCursor = WorkKey & Pick<Work, 'failureId' | 'resourceId'>

/** What one handler has failed at for the longest time and will try again. */
export interface LongestFailing extends PieceOfWork {
  /** Since the first failure after its last success, in milliseconds. */
  forMs: number
  attempts: number
  errorCode: string
  errorMessage: string
}

/** A resource that is due now or later; where a handler of it failed, with that. */
export interface DueWork extends Pick<Work, 'resourceId' | 'kind' | 'isClaimed'> {
  dueInMs: number
  failed: Pick<Work, 'handler' | 'attempts' | 'errorCode' | 'errorMessage'> | undefined
}

/** An event as a list of all shows it: nothing of its body. */
export interface EventSummary extends EventRecord {
  /** Empty where it is about nothing. */
  resourceId: string
  kind: ResourceKind | undefined
}

/** Which events to list. */
export interface EventFilter {
  resourceId?: string | undefined
  type?: string | undefined
  source?: EventSource | undefined
  /** Received since then. */
  since?: number | undefined
  /** Only those before this one, the newest first. */
  before?: number | undefined
  /** Only those after this one, the oldest first. */
  after?: number | undefined
}

/** Part of a list. */
export interface Page<Row, Cursor> {
  rows: Row[]
  /** Where to go on; absent at the end. A page may be empty and yet go on: of what a filter leaves out, only so much is looked at for one page. */
  next: Cursor | undefined
}

/** A resource as a list shows it. */
export interface ResourceSummary {
  id: string
  kind: ResourceKind
  firstEventAt: number
  lastEventAt: number | undefined
  terminal: boolean
  dueAt: number | undefined
  isClaimed: boolean
  /** Its handlers that failed and will be tried again. */
  failing: number
  /** Its handlers that wait for a hold or an absent system. */
  waiting: number
  /** Its handlers that are parked. */
  parked: number
}

/** A resource that waits for a person. */
export interface WaitingForPeople {
  id: string
  kind: ResourceKind
  /** Why, as a code of `service/schemas/waits-for-people.ts`. */
  reason: string
  since: number
}

/** Behind which resource to go on reading what waits for people. */
export type WaitingCursor = Pick<WaitingForPeople, 'since' | 'id'>

/** Something that the catalogue does not know, and the resource that had it; its id is empty where it was none. */
export interface Sighting extends Unknown {
  resourceId: string
}

/** Something that the catalogue does not know, and how often it was met. */
export interface Drift extends Sighting {
  firstAt: number
  lastAt: number
  seen: number
}

/** Which resources to list: all, or what fits everything that is given. */
export interface ResourceFilter {
  kind?: ResourceKind | undefined
  /** Those with such work. */
  state?: WorkState | 'due' | undefined
}

/** Behind which resource to go on reading the list. */
export type ResourceCursor = Pick<ResourceSummary, 'firstEventAt' | 'id'>

/** At which moments of a PA or BV the report looks. */
export const outcomeMoments = ['heardAt', 'submittedAt', 'endedAt', 'transferEndedAt'] as const
export type OutcomeMoment = (typeof outcomeMoments)[number]

/** How one PA or BV goes and came out. */
export interface OutcomeRecord {
  kind: ResourceKind
  heardAt: number
  /** It was known before anything could have been decided: its times tell how long it took. */
  isFromStart: boolean
  /** When it was first seen to be with the payer. */
  submittedAt: number | undefined
  endedAt: number | undefined
  result: Result | undefined
  reason: string | undefined
  isAppeal: boolean
  transferStatus: string | undefined
  transferStartedAt: number | undefined
  transferEndedAt: number | undefined
  /** How long it waited for the practice and for the provider. */
  practiceMs: number
  providerMs: number
  /** Of the grouping that was asked for; absent where it is not known. */
  group: string | undefined
}

/** Which of them: those that had such a moment in the period, `to` not included; `by` has their groups read. */
export interface OutcomeFilter {
  from: number
  to: number
  by?: Grouping | undefined
}

/** Where a reading of outcomes goes on: behind the last row of a moment, or at its first. */
export interface OutcomeCursor {
  moment: OutcomeMoment
  last: { at: number; resourceId: string } | undefined
}

/** Some of the outcomes that were asked for, perhaps none; `next` leads to others, and is absent at the end. */
export interface OutcomePart {
  rows: OutcomeRecord[]
  next: OutcomeCursor | undefined
}

/** One refused delivery. */
export interface RejectionRecord {
  id: number
  reason: string
  bytes: number
  at: number
}

/** How the last run of a handler ended. */
export interface LastRun {
  handler: string
  result: 'succeeded' | 'failed' | 'parked'
  agoMs: number
}

/** A part of what the ledger holds of one patient. */
export interface PatientStep {
  resources: { id: string; kind: ResourceKind }[]
  /** Events of no resource whose bodies name the patient. */
  events: number[]
  looked: number
  /** Milliseconds since the audit trail last noted an erasure of the patient; null: it notes none; absent: not the first part, or a ledger without sealing keys, whose trail names no patients. */
  erasedAgoMs?: number | null | undefined
  /** Ask with it for the next part; absent: that was all. */
  cursor: string | undefined
}

/** What one step of sealing anew found and did. */
export interface ResealStep {
  /** Resources looked through. */
  looked: number
  /** Sealed values by the key that they had: its first eight digits of SHA-256, or `none`. */
  keys: Record<string, number>
  /** Values that the newest key seals now; of a dry run, that it does not yet. */
  resealed: number
  /** Values that no key that is listed opens, or that are plain and refused. */
  unreadable: number
  /** Ask with it for the next part; absent: that was all. */
  cursor: string | undefined
}

/** Who does something, and why. */
export interface Act {
  actor: Actor
  reason?: string | undefined
}

/** Which parked and failed work: all of it, or what fits everything that is given. */
export interface WorkFilter {
  resourceId?: string | undefined
  handler?: string | undefined
  /** The code of the error that it failed with last. */
  errorCode?: string | undefined
  /** The system at which it failed last; empty: at none that is known. */
  system?: string | undefined
  state?: WorkState | undefined
  /** Of these handlers alone: what nobody can work on stays parked. Without it, of whatever handler. */
  handlerNames?: readonly string[] | undefined
  /** Of none of these handlers. */
  exceptHandlers?: readonly string[] | undefined
  /** Not what failed with one of these last. */
  exceptErrors?: readonly string[] | undefined
  /** What failed after the failure of this number. */
  failedAfter?: number | undefined
  /** What failed at the failure of this number or before. */
  failedUpTo?: number | undefined
}

/** One handler's work on one resource. */
export interface PieceOfWork {
  resourceId: string
  handler: string
}

/** What somebody paused: all work, that of a handler, or that of a system. */
export interface Hold {
  kind: 'all' | 'handler' | 'system'
  /** Of the handler or the system; empty for all. */
  name: string
  /** By the ledger's clock: another one once it was resumed and paused anew. */
  since: number
  /** For how long already, in milliseconds. */
  forMs: number
  reason?: string
}

/** The error codes of work that waits for a hold on its handler or on a system. */
export const heldErrors = { handler: 'handler_paused', system: 'system_paused' } as const

/** Codes of failures of which it is not known yet whose fault they are: such work waits, at no cost. */
export const unconfirmedErrors = { outage: 'outage_unconfirmed', refusal: 'refusal_unconfirmed' } as const

/** The error codes of work that waits, for a hold, for a system to come back, or until it is known whose fault a failure is: such work does not fail. */
export const waitingErrors = [
  heldErrors.handler,
  heldErrors.system,
  'system_down',
  unconfirmedErrors.outage,
  unconfirmedErrors.refusal,
] as const

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

/** A system that takes nothing, of how many resources nothing was written there, and why. */
export interface LeftOut {
  system: string
  /** `maxLeftOutCounted` at the most. */
  count: number
  reason: string
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

/** What the service last said of a resource, opened. */
export interface Revealed {
  id: string
  kind: ResourceKind
  /** When it was stored. */
  readAt: number | undefined
  /** As the service wrote it. */
  snapshot: unknown
}

/** Where to go on reading backwards in what happened to a resource: below these rows; absent: at the newest. */
export interface HistoryCursor {
  event?: number | undefined
  transition?: number | undefined
  run?: number | undefined
  /** The entry of the audit trail that a reveal is. */
  reveal?: number | undefined
  /** Effects have no number: the time, the handler and the key of the last one. */
  effect?: [at: number, handler: string, key: string] | undefined
}

/** How a resource stands and what happened to it, without what it says of a patient: of each kind of row the newest, newest first. */
export interface History {
  resource: {
    id: string
    kind: ResourceKind
    firstEventAt: number
    lastEventAt: number | undefined
    /** The codes of the snapshot, such as `status`; none where there is no snapshot that can be read. */
    codes: Record<string, string>
    snapshotAt: number | undefined
    terminal: boolean
    reads: number
    dueAt: number | undefined
    nextPollAt: number | undefined
    /** Somebody works on it now. */
    isClaimed: boolean
  }
  progress: {
    handler: string
    state: ProgressState
    handledEventId: number
    attempts: number
    dueAt: number | undefined
    parkedAt: number | undefined
    error: { code: string; message: string } | undefined
  }[]
  events: EventRecord[]
  transitions: { id: number; eventId: number; at: number; changes: readonly FieldChange[] }[]
  /** Who had its content shown. */
  reveals: { id: number; at: number; actor: Actor }[]
  runs: {
    id: number
    handler: string
    startedAt: number
    finishedAt: number
    result: 'succeeded' | 'failed' | 'parked' | 'discarded'
    error: { code: string; message: string | undefined } | undefined
    /** When it was to be tried again. */
    nextAt: number | undefined
    firstEventId: number
    lastEventId: number
    writes: Run['writes']
  }[]
  effects: { handler: string; key: string; at: number }[]
}

/** What somebody looks for: an id or any number that a snapshot carried, or a number in these fields alone. */
export interface Sought {
  value: string
  fields?: readonly IdentifierField[] | undefined
}

/** One resource that was found. */
export interface Found {
  id: string
  kind: ResourceKind
  codes: Record<string, string>
  lastEventAt: number | undefined
  by: 'id' | IdentifierField
}

/** How long bodies and snapshots are kept, in milliseconds. */
export interface Keep {
  keepMs: number
  /** Those of parked work, from when it was parked. */
  parkedKeepMs: number
  /** How resources came out, from when they were first heard of. */
  reportKeepMs: number
}

/** What retention takes away, by kind. */
export interface Purged {
  deliveries: number
  /** Bodies of deliveries whose work has been due for too long; the deliveries stay. */
  dueBodies: number
  /** The same of work that has been parked for too long. */
  parkedBodies: number
  /** What resources looked like, with all that was kept of it. */
  snapshots: number
  /** What handlers last succeeded with, of resources that went on without concerning them. */
  baselines: number
  /** What effects returned, of resources that went on. */
  effects: number
  /** Rows of the report. */
  outcomes: number
  /** Names and codes that the catalogue does not know and that were not met any more. */
  drift: number
}

/** What one step of retention deleted; of a dry run, what it would, where of each kind but deliveries, their bodies and drift `maxPurgeCounted` are counted at the most. */
export interface PurgeStep extends Purged {
  /** Deliveries looked through. */
  looked: number
  /** Ask with it for the next step; absent: that was all. */
  cursor: number | undefined
}

/** Whether what was deleted is out of the files: it is; a reader still holds it there, so that it is to be tried again; the database removes it in its own time. */
export type Wiped = 'wiped' | 'busy' | 'left_to_database'

/** Above some 10,000 events or resources their numbers are a minute old; of what waits, 100,000 are counted at the most. */
export interface Counts {
  events: number
  unhandled: number
  resources: number
  due: number
  parked: number
  /** For how long the oldest due work could have been done; 0 where there is none. What waits for a hold or an absent system could not. */
  oldestDueMs: number
  /** Pieces of work that wait for a hold or an absent system; while all work is paused, also the resources that are due. */
  waiting: number
  /** For how long the first event is stored of that which waits longest; 0 where nothing waits. */
  oldestWaitingMs: number
  /** For how long the oldest parked work has been parked; 0 where there is none. */
  oldestParkedMs: number
  /** Resources whose poll is due, or was asked for and not tried yet. */
  toPoll: number
  /** Resources whose poll was asked for and failed; they are tried again. */
  unreadable: number
}

/** All that is needed to open a ledger, in a form that can be sent to another thread. */
export interface LedgerSettings {
  /** `file:<path>` or `postgres://…` */
  databaseUrl: string
  /** 32 bytes each, the newest first. */
  sealingKeys: readonly Uint8Array[]
  /** With keys, plain values are read as well: the ledger is being sealed for the first time. */
  acceptsPlain?: boolean | undefined
}

/** The only durable truth (docs/design.md). Every promise that resolves after a write means: committed and synced. */
export interface Ledger {
  /** Stores one delivery, or counts it as a duplicate (rule 2); atomic across processes. */
  accept(delivery: Delivery): Promise<Accepted>
  /** Notes a refused delivery, soon, in bounded number and without waiting: refusals must cost an attacker more than us. */
  reject(rejection: { reason: string; bytes: number }): void

  /** Resources with work to do now that nobody holds, the longest waiting first. */
  due(limit: number): Promise<string[]>
  /** Makes parked work due, `limit` pieces at the most, whose time to be tried again has come; it stays parked until it succeeds. Resolves with the resources. */
  wakeParked(limit: number): Promise<string[]>
  /** Milliseconds until the next resource comes due or is freed by an ended lease; negative when it already is. */
  nextDueIn(): Promise<number | undefined>

  /** Looks whether the clock was set since the last look, and if so ends every wait and begins every lease anew; resolves with whether it was. */
  followClock(leaseMs: number): Promise<boolean>
  /** Takes a resource that is due; `undefined` when it is not due or another holds it, or the clock was set and `followClock` was not called since. `alone` says that nothing else is in work in this process until it is given back. */
  claim(resourceId: string, leaseMs: number, handlerNames: HandlerNames, alone?: boolean): Promise<Claim | undefined>
  /** Prolongs the lease; false when the claim was lost. */
  renew(token: ClaimToken, leaseMs: number): Promise<boolean>
  /** Records all of the notes, in their order, or none. Throws `ClaimLost`. */
  record(token: ClaimToken, notes: readonly Note[]): Promise<void>
  /** Records the notes and gives the resource back, to come due after `dueInMs`, or after `restMs` if an event newer than `newestEventId` was stored meanwhile, or at once if parked work of it was retried meanwhile; events of the next `restMs` wait for their end. Resolves with the delay set. Throws `ClaimLost`. */
  release(token: ClaimToken, next: Release): Promise<number | undefined>

  /** The bodies of all events of the resource, oldest first. */
  bodies(resourceId: string): Promise<{ eventId: number; body: Uint8Array }[]>
  /** What `once` recorded of this effect: the JSON of what it returned, which is absent where it returned nothing or was purged since; `undefined` where it never succeeded. */
  effect(resourceId: string, handler: string, key: string): Promise<{ document: Document | undefined } | undefined>
  /** Notes that this effect begins; resolves with whether it was begun before, and nobody saw its end. */
  beginEffect(resourceId: string, handler: string, key: string): Promise<{ mayHaveRun: boolean }>
  /** Takes back that it was begun: it surely did not happen. */
  forgetBegun(resourceId: string, handler: string, key: string): Promise<void>
  /** Records that this effect succeeded, with the JSON of what it returned; the first record stands. */
  recordEffect(resourceId: string, handler: string, key: string, json?: string): Promise<void>

  /** What a connector remembers of a resource, by role. */
  readMemory(system: string, resourceId: string): Promise<ReadonlyMap<string, Remembered>>
  /** Remembers it in place of what was there, of a shared place for all resources; committed at once. Throws `ClaimLost`. */
  writeMemory(
    token: ClaimToken,
    system: string,
    role: string,
    remembered: Remembered,
    options?: { isShared?: boolean },
  ): Promise<void>
  /** Takes a place that all resources of a system share until the claim ends, and resolves with what is remembered there; `taken` while another claim has it. Throws `ClaimLost`. */
  takeShared(token: ClaimToken, system: string, role: string): Promise<{ remembered: Remembered | undefined } | 'taken'>
  /** Forgets what a system remembers under a role of the resources that carry this number, and of those where it remembers this id, and writes that into the audit trail; resolves with the resources. */
  forgetMemory(forgettable: Forgettable, act: Act): Promise<string[]>

  /** Systems to which nothing was written for some resources, since they take nothing, as far as runs found and nobody had them written since. */
  leftOut(): Promise<LeftOut[]>
  /** The next few resources after this one of which one of these types was not written to a system, as it did not take it. */
  findLeftOut(sought: { system: string; types: readonly string[]; after: string }, limit: number): Promise<string[]>
  /** Forgets that, as they are about to be written, and writes it into the audit trail. */
  forgetLeftOut(
    found: { system: string; types: readonly string[]; resourceIds: readonly string[] },
    act: Act,
  ): Promise<void>

  /** Notes that pawl asks the service for a change of a resource that it knows; false, with nothing noted, for one that it does not know, and for what it noted within the last day already. */
  noteOwnChange(resourceId: string, change: Pick<OwnChangeNote, 'name' | 'value'>): Promise<boolean>
  /** Takes back the note of a change that was not carried out. */
  forgetOwnChange(resourceId: string, change: Pick<OwnChangeNote, 'name' | 'value'>): Promise<void>

  /** Takes resources whose next poll has come: nobody else polls them for `holdMs`, or until what came of it is recorded. `more` says that others may be waiting. */
  claimPolls(limit: number, holdMs: number): Promise<{ polls: Pollable[]; more: boolean }>
  /** Milliseconds until the next poll of any resource; not positive when it has come. */
  nextPollIn(): Promise<number | undefined>
  /** Records what a poll found, with the event that tells of it, in one commit, and resolves with the trace of that event; undefined, with nothing recorded, where something newer was stored since or somebody works on the resource. */
  recordPoll(
    poll: Pick<Pollable, 'resourceId' | 'newestEventId'>,
    result: PollResult,
  ): Promise<{ traceId?: string } | undefined>
  /** Has every resource polled soon that may still change, and every one that had an event since then; resolves with their number. */
  pollSoon(since: number): Promise<number>

  /** The groups of failed work that a filter lets through whatever its resource, parked before the others, 200 at the most; with `tries`, numbers of attempts, the piece of each that was tried most often. */
  workGroups(filter?: WorkFilter, tries?: readonly number[]): Promise<WorkGroup[]>
  /** Failed work that a filter lets through: by group, parked before the others, and of each group the oldest failure first; that of one resource by handler, all at once. */
  work(filter: WorkFilter, limit: number, after?: WorkCursor): Promise<Page<Work, WorkCursor>>
  /** Work that is due now or later, by when it is due, of one resource or of all: that of `limit` resources. */
  dueWork(resourceId: string | undefined, limit: number): Promise<DueWork[]>
  /** Of each of these handlers the failing work that has not been brought any further for the longest time; handlers without such work are left out. */
  longestFailing(handlerNames: readonly string[]): Promise<LongestFailing[]>
  /** Makes parked work due again, and failed work due now instead of later, in small steps, each of which is written into the audit trail; what fails again meanwhile is left alone. Resolves with the resources concerned. */
  retryWork(filter: WorkFilter, act: Act): Promise<string[]>
  /** One such step: the next `limit` pieces of work. */
  retrySome(
    filter: WorkFilter,
    step: { limit: number; after?: WorkCursor | undefined },
    act: Act,
  ): Promise<{ resourceIds: string[]; next: WorkCursor | undefined }>
  /** Has pieces of parked or failing work count as done, in one commit, and writes each into the audit trail; resolves with what became of each. */
  discard(work: readonly PieceOfWork[], act: Act & { reason: string }): Promise<Discarded[]>

  /** Opens the stored snapshot of a resource for somebody, once that, and why, is written into the audit trail; `nothing`: none is stored. Rejects with `SealBroken` where it cannot be opened. */
  reveal(resourceId: string, act: Act & { reason: string }): Promise<Revealed | 'nothing' | 'unknown'>
  /** One small step of finding what the ledger holds of a patient by his `internal_id`; the first is written into the audit trail, without that number. */
  findPatient(patient: { value: string; cursor?: string | undefined }, act: Act): Promise<PatientStep>
  /** Removes what one resource of a patient says of him, and writes that into the audit trail; `in_work`: ask again in a moment. */
  erase(resourceId: string, patient: string, act: Act): Promise<Erased | 'in_work' | 'unknown'>
  /** The same of the bodies of events that belong to no resource; resolves with their number. */
  eraseEvents(eventIds: readonly number[], patient: string, act: Act): Promise<number>
  /** One small step of sealing all that is stored with the newest key; the first is written into the audit trail. */
  reseal(step: { cursor?: string | undefined; dryRun: boolean }, act: Act): Promise<ResealStep>
  /** Takes what was deleted out of the database's files as well. */
  wipe(): Promise<Wiped>

  /** Events, the newest first, or with `after` the oldest first. */
  listEvents(filter: EventFilter, limit: number): Promise<Page<EventSummary, number>>
  /** Resources, those known last first; with a state, by id. */
  listResources(
    filter: ResourceFilter,
    limit: number,
    after?: ResourceCursor,
  ): Promise<Page<ResourceSummary, ResourceCursor>>
  /** Refused deliveries, as far as they were noted, the newest first. */
  listRejections(reason: string | undefined, limit: number, before?: number): Promise<RejectionRecord[]>

  /** How PAs and BVs came out, each of them once, a small part at a time. */
  listOutcomes(filter: OutcomeFilter, after?: OutcomeCursor): Promise<OutcomePart>

  /** The last run of each handler; one that has none among the newest 5,000 of all is left out. */
  lastRuns(): Promise<LastRun[]>
  /** Deliveries refused within the last `withinMs`, by reason, as far as they were noted: a hundred a second, and of all about the newest 10,000. */
  refused(withinMs: number): Promise<Refused[]>

  /** Resources that wait for a person and that nothing was sent in place of, those that wait longest first. */
  waitingForPeople(limit: number, after?: WaitingCursor): Promise<Page<WaitingForPeople, WaitingCursor>>

  /** Notes what the catalogue does not know, soon, in bounded number and without waiting: nothing else depends on it. */
  noteDrift(sightings: readonly Sighting[]): void
  /** What the catalogue does not know, met last first, and how often something else was met that there was no room for. */
  drift(): Promise<{ drift: Drift[]; leftOut: number }>
  /** How much of it was met for the first time within the last `withinMs`. */
  newDrift(withinMs: number): Promise<number>

  /** Systems that some process found away, with the milliseconds for which it leaves them alone. */
  outages(): Promise<{ system: string; remainingMs: number }[]>
  /** Tells all processes that a system is away for now, or, without `forMs`, that it is back. */
  noteOutage(system: string, forMs: number | undefined): Promise<void>

  /** What is paused. */
  holds(): Promise<Hold[]>
  /** Pauses it, and writes that and why into the audit trail; what is paused already stays as it is. */
  hold(hold: Pick<Hold, 'kind' | 'name'>, act: Act): Promise<void>
  /** Lets work go on, and has what waited for it tried now, in small steps that are written into the audit trail; resolves with whether it was paused, and the resources that waited. */
  liftHold(hold: Pick<Hold, 'kind' | 'name'>, act: Act): Promise<{ wasHeld: boolean; resourceIds: string[] }>
  /** Has work tried now that waits for a hold which is gone, as `liftHold` does, where its process died over it; resolves with the resources. */
  freeUnheld(act: Act): Promise<string[]>
  /** Lets resources through that a hold makes wait, `limit` at the most, has them tried now, and writes that into the audit trail; resolves with them, and with whether others still wait. */
  letThrough(
    hold: Pick<Hold, 'kind' | 'name'>,
    limit: number,
    act: Act,
  ): Promise<{ resourceIds: string[]; more: boolean }>
  /** Whether a resource was let through. */
  isLetThrough(resourceId: string): Promise<boolean>
  /** Of those let through, the ones that are due and free. */
  dueLetThrough(limit: number): Promise<string[]>

  /** One small step of deleting what is older than it may be: events after `cursor`, then what resources looked like. With `dryRun` it only counts; an `act` is written into the audit trail. */
  purge(keep: Keep, cursor: number, how?: { dryRun?: boolean; act?: Act | undefined }): Promise<PurgeStep>

  resource(id: string): Promise<ResourceRecord | undefined>
  /** What happened to a resource: at the most `limit` rows of each kind, before the cursor. */
  history(id: string, limit: number, before: HistoryCursor): Promise<History | undefined>
  /** The resource of that id, else those that carry it as a number, the ones last heard of first. */
  find(sought: Sought, limit: number): Promise<Found[]>
  counts(): Promise<Counts>

  /** Milliseconds since old contents were deleted last, in full; since the first question where nobody has noted it yet. */
  purgedAgo(): Promise<number>
  /** The alerts that are open, the oldest first. */
  openAlerts(): Promise<AlertRecord[]>
  /** All alerts, open or over, the newest first. */
  listAlerts(limit: number, before?: number): Promise<AlertRecord[]>
  /** Opens, escalates and keeps open what was found, closes what is gone and nobody saw since, and notes each step once for the targets, however many processes find it. */
  noteAlerts(noted: { found: readonly FoundAlert[]; gone: readonly Pick<AlertRecord, 'id' | 'seen'>[] }): Promise<void>
  /** How these targets of alerts stand; one that never had a turn is left out. */
  alertTargets(names: readonly string[]): Promise<AlertTargetRecord[]>
  /** Takes the turn to send one message to a target; `undefined` where there is nothing to tell, where another process has the turn, and where the target is to be left alone for now. */
  takeAlertTurn(name: string, wanted: AlertTurnWanted): Promise<AlertTurn | undefined>
  /** Ends a turn; nothing happens where its lease ended and another process has it. */
  endAlertTurn(name: string, owner: string, end: AlertTurnEnd): Promise<void>

  /** Writes what somebody does into the audit trail; resolves with false where its end was not as it was left, which it says as well. What must be written down is not done where this rejects. */
  audit(entry: AuditEntry): Promise<boolean>
  /** Entries of the audit trail, the oldest first. */
  readAudit(filter: AuditFilter, limit: number): Promise<AuditRecord[]>
  /** The same, the newest first, before a cursor. */
  listAudit(filter: Omit<AuditFilter, 'after'>, limit: number, before?: AuditCursor): Promise<AuditRecord[]>
  /** Looks whether a row of the trail was removed or changed; `noted` is a head that was kept elsewhere. */
  verifyAudit(noted?: AuditEnd): Promise<AuditVerdict>
  /** The key of this ledger's digests, which stays the same while sealing keys are rotated. Throws `SealBroken`. */
  digestKey(): Promise<Uint8Array>
  /** How the end of the trail stands, and when a break was noted last: what may be asked every minute. */
  auditState(): Promise<AuditState>
  /** Waits for writes in progress, then closes; in bounded time. */
  close(): Promise<void>
}
