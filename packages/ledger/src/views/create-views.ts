import { createDocuments } from '../sealing/documents.ts'
import type { Seal } from '../sealing/seal.ts'
import type { ViewStorage } from '../storage.ts'
import type { ViewCore } from '../core.ts'
import { createWorkViews } from './read-work.ts'
import { createLeftOutViews } from '../hot/left-out.ts'
import { createListViews } from './lists.ts'
import { createRunViews } from './list-runs.ts'
import { createOutcomeViews } from './list-outcomes.ts'
import { createPeopleViews } from './waiting-for-people.ts'
import { createFeedViews } from '../feed/read-feed.ts'
import { createStoryViews } from './read-history.ts'
import { createSearchViews } from './find.ts'
import { createLagViews } from '../projections/lags.ts'
import { createTallyViews } from './tallies.ts'
import { createAlertViews } from '../alerts/alert-targets.ts'
import { createAuditViews } from '../audit/read-audit.ts'
import { createCountViews } from './counts.ts'
import { createLockViews } from './lock-holders.ts'
import { createRememberedViews } from './remembered.ts'

/** Reads for pages, lists, counts, searches, the report and metrics. They use their own connections, on SQLite their own thread: deliveries and work never wait for a reader. */
export type Views = ReturnType<typeof createViews>

/** Creates the views of an open database. */
export function createViews({ storage, seal }: { storage: ViewStorage; seal: Seal }) {
  const { views: db } = storage
  const core: ViewCore = {
    db,
    now: () => storage.now(db),
    seal,
    documents: createDocuments(seal),
    assertDurable: () => storage.assertDurable(),
  }
  return {
    ...createWorkViews(core),
    ...createLeftOutViews(core),
    ...createListViews(core),
    ...createRunViews(core),
    ...createOutcomeViews(core),
    ...createPeopleViews(core),
    ...createFeedViews(core),
    ...createStoryViews(core),
    ...createSearchViews(core),
    ...createTallyViews(core),
    ...createLagViews(core),
    ...createAlertViews(core),
    ...createAuditViews(core),
    ...createCountViews(core),
    ...createLockViews(storage),
    ...createRememberedViews(core),
  }
}
