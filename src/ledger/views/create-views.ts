import { readAlertTargets } from '../alerts/alert-targets.ts'
import { listAlerts, readOpenAlerts } from '../alerts/note-alerts.ts'
import { createCounts, type Counts } from './counts.ts'
import { createDocuments } from '../sealing/documents.ts'
import { countNewDrift, readDrift, type Drift } from '../hot/drift-notes.ts'
import { type FeedPage, type FeedQuery, readFeed, readUnacknowledged, type Unacknowledged } from '../feed/read-feed.ts'
import { findResources, type Found, type Search } from './find.ts'
import { type NewestDelivery, readNewestDelivery } from './newest-delivery.ts'
import { readWaitingCases, type WaitingCases } from './waiting-cases.ts'
import { readHistory, type History, type HistoryCursor } from './read-history.ts'
import { readLastRuns, type LastRun } from './last-runs.ts'
import { findLeftOut, readLeftOut, type LeftOut } from '../hot/left-out.ts'
import { listOutcomes, type OutcomeCursor, type OutcomeFilter, type OutcomePart } from './list-outcomes.ts'
import {
  readDueWork,
  readLongestFailing,
  readWork,
  type DueWork,
  type LongestFailing,
  type Work,
  type WorkCursor,
} from './read-work.ts'
import {
  listEvents,
  listRejections,
  listResources,
  type EventFilter,
  type EventSummary,
  type Page,
  type RejectionFilter,
  type RejectionRecord,
  type ResourceCursor,
  type ResourceFilter,
  type ResourceSummary,
} from './lists.ts'
import { listRuns, type RunFilter, type RunRecord } from './list-runs.ts'
import { listAudit, readAudit, type AuditCursor, type AuditFilter } from '../audit/read-audit.ts'
import { readResource, type ResourceRecord } from './read-resource.ts'
import { readTallies, readUntallied, type Untallied } from './tallies.ts'
import type { Tally } from './tally-of-time.ts'
import { readRefused, type Refused } from './refused.ts'
import type { Seal } from '../sealing/seal.ts'
import type { ViewStorage } from '../storage.ts'
import {
  countWaitingForPeople,
  listWaitingForPeople,
  type WaitingCursor,
  type WaitingForPeople,
} from './waiting-for-people.ts'
import { readWorkGroups, type WorkGroup } from './work-groups.ts'
import type { AlertRecord, AlertTargetRecord } from '../alerts/alert-records.ts'
import type { AuditRecord } from '../audit/audit-entry.ts'
import type { WorkFilter } from '../hot/work-filter.ts'

/** Reads for pages, lists, counts, searches, the report and metrics. They use their own connections, on SQLite their own thread: deliveries and work never wait for a reader. */
export interface Views {
  /** Groups of failed work that match a filter, parked first, max 200; with `tries`, numbers of attempts, each with the piece tried most often. */
  workGroups(filter?: WorkFilter, tries?: readonly number[]): Promise<WorkGroup[]>
  /** Failed work that matches a filter: by group, parked first, each group's oldest failure first; for one resource by handler, all at once. */
  work(filter: WorkFilter, limit: number, after?: WorkCursor): Promise<Page<Work, WorkCursor>>
  /** Work due now or later, by due time, of one resource or of up to `limit` resources. */
  dueWork(resourceId: string | undefined, limit: number): Promise<DueWork[]>
  /** Per handler the failing work that has been stuck the longest; handlers without failing work are left out. */
  longestFailing(handlerNames: readonly string[]): Promise<LongestFailing[]>
  /** Systems that took no writes for some resources, from runs whose skipped writes were not written since. */
  leftOut(): Promise<LeftOut[]>
  /** The next few resources after this one with writes of these types that a system did not take. */
  findLeftOut(sought: { system: string; types: readonly string[]; after: string }, limit: number): Promise<string[]>
  /** Events, newest first; with `after`, oldest first. */
  listEvents(filter: EventFilter, limit: number): Promise<Page<EventSummary, number>>
  /** Resources, newest known first; with a state, oldest known first. */
  listResources(
    filter: ResourceFilter,
    limit: number,
    after?: ResourceCursor,
  ): Promise<Page<ResourceSummary, ResourceCursor>>
  /** Recorded refused deliveries, newest first. */
  listRejections(filter: RejectionFilter, limit: number): Promise<RejectionRecord[]>
  /** Runs of handlers, newest first. */
  listRuns(filter: RunFilter, limit: number): Promise<Page<RunRecord, number>>
  /** Outcomes of PAs and BVs, each once, a small part at a time. */
  listOutcomes(filter: OutcomeFilter, after?: OutcomeCursor): Promise<OutcomePart>
  /** The last run of each handler, if among the newest 5,000 runs. */
  lastRuns(): Promise<LastRun[]>
  /** Recorded deliveries refused within the last `withinMs`, by reason: max a hundred a second, about the newest 10,000 in all. */
  refused(withinMs: number): Promise<Refused[]>
  /** Resources that wait for a person and were not replaced, longest waiting first. */
  waitingForPeople(limit: number, after?: WaitingCursor): Promise<Page<WaitingForPeople, WaitingCursor>>
  /** The next notices of a reader of the feed. Rejects with `SealBroken`. */
  feed(query: FeedQuery): Promise<FeedPage | 'purged' | 'unknown'>
  /** Readers of the feed that did not acknowledge a notice within `withinMs`. */
  unacknowledged(withinMs: number): Promise<Unacknowledged[]>
  /** How many do, capped at 1,000. */
  countWaitingForPeople(): Promise<number>
  /** Names and values unknown to the catalogue, last seen first, and the number of sightings dropped for lack of room. */
  drift(): Promise<{ drift: Drift[]; leftOut: number }>
  /** Number of entries first seen within the last `withinMs`. */
  newDrift(withinMs: number): Promise<number>
  resource(id: string): Promise<ResourceRecord | undefined>
  /** History of a resource: up to `limit` rows of each kind, before the cursor. */
  history(id: string, limit: number, before: HistoryCursor): Promise<History | undefined>
  /** The resource with that id, otherwise those that carry it as a number, last heard of first. */
  find(sought: Search, limit: number): Promise<Found[]>
  counts(): Promise<Counts>
  /** The newest webhook; `undefined` if the newest 200 events have none. */
  newestDelivery(): Promise<NewestDelivery | undefined>
  /** The resources with work that waits for each system. */
  waitingCases(): Promise<WaitingCases[]>
  /** Counts the next rows that the history lacks; `noteTallies` writes them. */
  untallied(limit: number): Promise<Untallied>
  /** The history since `withinMs` ago, by minute for a day, by hour for a week. */
  tallies(span: 'minute' | 'hour', withinMs: number): Promise<Tally[]>
  /** Open alerts, oldest first. */
  openAlerts(): Promise<AlertRecord[]>
  /** All alerts, open or closed, newest first. */
  listAlerts(limit: number, before?: number): Promise<AlertRecord[]>
  /** State of these alert targets; one that never had a turn is left out. */
  alertTargets(names: readonly string[]): Promise<AlertTargetRecord[]>
  /** Entries of the audit trail, oldest first. */
  readAudit(filter: AuditFilter, limit: number): Promise<AuditRecord[]>
  /** Entries of the audit trail before a cursor, newest first. */
  listAudit(filter: Omit<AuditFilter, 'after'>, limit: number, before?: AuditCursor): Promise<AuditRecord[]>
}

/** Creates the views of an open database. */
export function createViews({ storage, seal }: { storage: ViewStorage; seal: Seal }): Views {
  const { views: db } = storage
  const documents = createDocuments(seal)
  const counts = createCounts(db)

  return {
    workGroups: (filter = {}, tries) => readWorkGroups(db, filter, tries),
    work: async (filter, limit, after) => readWork(db, filter, { limit, after, now: await storage.now(db) }),
    dueWork: async (resourceId, limit) => readDueWork(db, resourceId, limit, await storage.now(db)),
    listEvents: (filter, limit) => listEvents(db, filter, limit),
    listResources: (filter, limit, after) => listResources(db, filter, limit, after),
    listRejections: (filter, limit) => listRejections(db, filter, limit),
    listRuns: (filter, limit) => listRuns(db, filter, limit),

    listOutcomes: (filter, after) => listOutcomes(db, filter, documents, after),

    longestFailing: async (handlerNames) => readLongestFailing(db, handlerNames, await storage.now(db)),
    lastRuns: async () => readLastRuns(db, await storage.now(db)),
    refused: async (withinMs) => readRefused(db, (await storage.now(db)) - withinMs),

    waitingForPeople: (limit, after) => listWaitingForPeople(db, limit, after),
    countWaitingForPeople: () => countWaitingForPeople(db),
    leftOut: () => readLeftOut(db),
    findLeftOut: (sought, limit) => findLeftOut(db, sought, limit),
    feed: (query) => readFeed(db, query, documents),
    unacknowledged: async (withinMs) => readUnacknowledged(db, (await storage.now(db)) - withinMs),
    drift: () => readDrift(db, documents),
    newDrift: async (withinMs) => countNewDrift(db, (await storage.now(db)) - withinMs),
    resource: (id) => readResource(db, id),
    history: (id, limit, before) => readHistory(db, { id, limit, before }, documents),
    find: (sought, limit) => findResources(db, sought, limit, { documents, seal }),
    async counts() {
      storage.assertDurable()
      return counts.read(await storage.now(db))
    },
    newestDelivery: () => readNewestDelivery(db),
    waitingCases: () => readWaitingCases(db),
    untallied: async (limit) => readUntallied(db, await storage.now(db), limit),
    tallies: async (span, withinMs) => readTallies(db, span, (await storage.now(db)) - withinMs),
    openAlerts: () => readOpenAlerts(db),
    listAlerts: (limit, before) => listAlerts(db, limit, before),
    alertTargets: async (names) => readAlertTargets(db, names, await storage.now(db)),
    readAudit: (filter, limit) => readAudit(db, filter, limit),
    listAudit: (filter, limit, before) => listAudit(db, filter, limit, before),
  }
}
