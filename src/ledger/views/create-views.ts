import { readAlertTargets } from '../alerts/alert-targets.ts'
import { listAlerts, readOpenAlerts } from '../alerts/note-alerts.ts'
import { createCounts, type Counts } from './counts.ts'
import { createDocuments } from '../sealing/documents.ts'
import { countNewDrift, readDrift, type Drift } from '../hot/drift-notes.ts'
import { findResources, type Found, type Sought } from './find.ts'
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
  type RejectionRecord,
  type ResourceCursor,
  type ResourceFilter,
  type ResourceSummary,
} from './lists.ts'
import { listAudit, readAudit, type AuditCursor, type AuditFilter } from '../audit/read-audit.ts'
import { readResource, type ResourceRecord } from './read-resource.ts'
import { readRefused, type Refused } from './refused.ts'
import type { Seal } from '../sealing/seal.ts'
import type { ViewStorage } from '../storage.ts'
import { listWaitingForPeople, type WaitingCursor, type WaitingForPeople } from './waiting-for-people.ts'
import { readWorkGroups, type WorkGroup } from './work-groups.ts'
import type { AlertRecord, AlertTargetRecord } from '../alerts/alert-records.ts'
import type { AuditRecord } from '../audit/audit-entry.ts'
import type { WorkFilter } from './work-filter.ts'

/** Reads for pages, lists, counts, searches, the report and metrics, on connections of their own, on SQLite on a thread as well: deliveries and work never wait for a reader. */
export interface Views {
  /** The groups of failed work that a filter lets through whatever its resource, parked before the others, 200 at the most; with `tries`, numbers of attempts, the piece of each that was tried most often. */
  workGroups(filter?: WorkFilter, tries?: readonly number[]): Promise<WorkGroup[]>
  /** Failed work that a filter lets through: by group, parked before the others, and of each group the oldest failure first; that of one resource by handler, all at once. */
  work(filter: WorkFilter, limit: number, after?: WorkCursor): Promise<Page<Work, WorkCursor>>
  /** Work that is due now or later, by when it is due, of one resource or of all: that of `limit` resources. */
  dueWork(resourceId: string | undefined, limit: number): Promise<DueWork[]>
  /** Of each of these handlers the failing work that has not been brought any further for the longest time; handlers without such work are left out. */
  longestFailing(handlerNames: readonly string[]): Promise<LongestFailing[]>
  /** Systems to which nothing was written for some resources, since they take nothing, as far as runs found and nobody had them written since. */
  leftOut(): Promise<LeftOut[]>
  /** The next few resources after this one of which one of these types was not written to a system, as it did not take it. */
  findLeftOut(sought: { system: string; types: readonly string[]; after: string }, limit: number): Promise<string[]>
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
  /** What the catalogue does not know, met last first, and how often something else was met that there was no room for. */
  drift(): Promise<{ drift: Drift[]; leftOut: number }>
  /** How much of it was met for the first time within the last `withinMs`. */
  newDrift(withinMs: number): Promise<number>
  resource(id: string): Promise<ResourceRecord | undefined>
  /** What happened to a resource: at the most `limit` rows of each kind, before the cursor. */
  history(id: string, limit: number, before: HistoryCursor): Promise<History | undefined>
  /** The resource of that id, else those that carry it as a number, the ones last heard of first. */
  find(sought: Sought, limit: number): Promise<Found[]>
  counts(): Promise<Counts>
  /** The alerts that are open, the oldest first. */
  openAlerts(): Promise<AlertRecord[]>
  /** All alerts, open or over, the newest first. */
  listAlerts(limit: number, before?: number): Promise<AlertRecord[]>
  /** How these targets of alerts stand; one that never had a turn is left out. */
  alertTargets(names: readonly string[]): Promise<AlertTargetRecord[]>
  /** Entries of the audit trail, the oldest first. */
  readAudit(filter: AuditFilter, limit: number): Promise<AuditRecord[]>
  /** The same, the newest first, before a cursor. */
  listAudit(filter: Omit<AuditFilter, 'after'>, limit: number, before?: AuditCursor): Promise<AuditRecord[]>
}

/** Makes the views of an open database. */
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
    listRejections: (reason, limit, before) => listRejections(db, reason, limit, before),

    listOutcomes: (filter, after) => listOutcomes(db, filter, documents, after),

    longestFailing: async (handlerNames) => readLongestFailing(db, handlerNames, await storage.now(db)),
    lastRuns: async () => readLastRuns(db, await storage.now(db)),
    refused: async (withinMs) => readRefused(db, (await storage.now(db)) - withinMs),

    waitingForPeople: (limit, after) => listWaitingForPeople(db, limit, after),
    leftOut: () => readLeftOut(db),
    findLeftOut: (sought, limit) => findLeftOut(db, sought, limit),
    drift: () => readDrift(db, documents),
    newDrift: async (withinMs) => countNewDrift(db, (await storage.now(db)) - withinMs),
    resource: (id) => readResource(db, id),
    history: (id, limit, before) => readHistory(db, { id, limit, before }, documents),
    find: (sought, limit) => findResources(db, sought, limit, { documents, seal }),
    async counts() {
      storage.assertDurable()
      return counts.read(await storage.now(db))
    },
    openAlerts: () => readOpenAlerts(db),
    listAlerts: (limit, before) => listAlerts(db, limit, before),
    alertTargets: async (names) => readAlertTargets(db, names, await storage.now(db)),
    readAudit: (filter, limit) => readAudit(db, filter, limit),
    listAudit: (filter, limit, before) => listAudit(db, filter, limit, before),
  }
}
