import { readAlertTargets } from '../alerts/alert-targets.ts'
import { listAlerts, readOpenAlerts } from '../alerts/alerts.ts'
import { createCounts } from './counts.ts'
import { createDocuments } from '../sealing/documents.ts'
import { countNewDrift, readDrift } from '../hot/drift.ts'
import { findResources } from './find.ts'
import { readHistory } from './history.ts'
import { readLastRuns } from './last-runs.ts'
import { findLeftOut, readLeftOut } from '../hot/left-out.ts'
import type { Ledger } from '../ledger.ts'
import { listOutcomes } from './list-outcomes.ts'
import { readDueWork, readLongestFailing, readWork } from './list-work.ts'
import { listEvents, listRejections, listResources } from './lists.ts'
import { listAudit, readAudit } from '../audit/read-audit.ts'
import { readResource } from './read-resource.ts'
import { readRefused } from './refused.ts'
import type { Seal } from '../sealing/seal.ts'
import type { ViewStorage } from '../storage.ts'
import { listWaitingForPeople } from './waiting-for-people.ts'
import { readWorkGroups } from './work-groups.ts'

/** What only shows how things stand: pages, lists, counts, searches, the report, metrics. It has connections of its own, on SQLite a thread as well, so that deliveries and work never wait for a reader. */
export const viewNames = [
  'workGroups',
  'work',
  'dueWork',
  'listEvents',
  'listResources',
  'listRejections',
  'listOutcomes',
  'longestFailing',
  'lastRuns',
  'refused',
  'waitingForPeople',
  'leftOut',
  'findLeftOut',
  'drift',
  'newDrift',
  'resource',
  'history',
  'find',
  'counts',
  'openAlerts',
  'listAlerts',
  'alertTargets',
  'readAudit',
  'listAudit',
] as const satisfies readonly (keyof Ledger)[]

export type Views = Pick<Ledger, (typeof viewNames)[number]>

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
