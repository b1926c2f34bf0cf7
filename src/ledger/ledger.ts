import type {
  AlertRecord,
  AlertTargetRecord,
  AlertTurn,
  AlertTurnEnd,
  AlertTurnWanted,
  FoundAlert,
} from './alerts/alert-records.ts'
import type { AuditEntry, AuditRecord, Act } from './audit/audit-entry.ts'
import type { Discarded } from './upkeep/discard.ts'
import type { Erased } from './upkeep/erase.ts'
import type { Forgettable } from './upkeep/forget-memory.ts'
import type { AuditEnd, AuditState } from './audit/audit.ts'
import type { AuditCursor, AuditFilter } from './audit/read-audit.ts'
import type { AuditVerdict } from './audit/verify-audit.ts'
import type { Accepted, Delivery } from './hot/accept.ts'
import type { Claim, ClaimToken, HandlerNames } from './hot/claims.ts'
import type { Counts } from './views/counts.ts'
import type { Document } from './sealing/documents.ts'
import type { Drift, Sighting } from './hot/drift.ts'
import type { DueWork, LongestFailing, Work, WorkCursor } from './views/list-work.ts'
import type {
  EventFilter,
  EventSummary,
  Page,
  RejectionRecord,
  ResourceCursor,
  ResourceFilter,
  ResourceSummary,
} from './views/lists.ts'
import type { Found, Sought } from './views/find.ts'
import type { History, HistoryCursor } from './views/history.ts'
import type { Hold } from './hot/holds.ts'
import type { Keep, PurgeStep } from './upkeep/purge.ts'
import type { LastRun } from './views/last-runs.ts'
import type { LeftOut } from './hot/left-out.ts'
import type { Note, Release } from './hot/notes.ts'
import type { OutcomeCursor, OutcomeFilter, OutcomePart } from './views/list-outcomes.ts'
import type { OwnChangeNote } from './hot/own-changes.ts'
import type { PatientStep } from './upkeep/find-patient.ts'
import type { PieceOfWork, WorkFilter } from './views/work-filter.ts'
import type { PollResult, Pollable } from './hot/polls.ts'
import type { Refused } from './views/refused.ts'
import type { Remembered } from './hot/shared-memory.ts'
import type { ResealStep } from './sealing/reseal.ts'
import type { ResourceRecord } from './views/read-resource.ts'
import type { Revealed } from './upkeep/reveal.ts'
import type { WaitingCursor, WaitingForPeople } from './views/waiting-for-people.ts'
import type { Wiped } from './storage.ts'
import type { WorkGroup } from './views/work-groups.ts'

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
