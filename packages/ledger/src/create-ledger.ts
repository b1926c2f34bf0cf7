import { setTimeout as sleep } from 'node:timers/promises'
import { createAlertBook } from './alerts/create-alert-book.ts'
import { createAuditTrail } from './audit/create-audit-trail.ts'
import { createLogins } from './audit/logins.ts'
import { createCore } from './core.ts'
import { createFeed } from './feed/create-feed.ts'
import { createClaims } from './hot/create-claims.ts'
import { createPauses } from './upkeep/create-pauses.ts'
import { createIntake } from './hot/accept.ts'
import { createPolls } from './hot/create-polls.ts'
import { createEffects } from './hot/effects.ts'
import { createMemories } from './hot/memory.ts'
import { createOutages } from './hot/outages.ts'
import { createOwnChanges } from './hot/own-changes.ts'
import { createStarts } from './hot/starts.ts'
import type { Ledger } from './ledger.ts'
import { createKeys } from './sealing/create-keys.ts'
import type { Seal } from './sealing/seal.ts'
import type { Storage } from './storage.ts'
import { createPatientErasure } from './upkeep/create-patient-erasure.ts'
import { createFailedWork } from './upkeep/create-failed-work.ts'
import { createRepairs } from './upkeep/create-repairs.ts'
import { createTurns } from './upkeep/create-turns.ts'
import { createProjections } from './projections/create-projections.ts'
import { createUpkeep } from './upkeep/create-upkeep.ts'
import { createViews } from './views/create-views.ts'

/** How long `close` waits for writes in progress, in milliseconds. */
const closeTimeoutMs = 5_000

/** Creates the ledger over an open database with the newest schema; `close` closes both. */
export function createLedger(opened: { storage: Storage; seal: Seal }): Ledger {
  const core = createCore(opened)
  const { flush, ...intake } = createIntake(core)
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    const written = Promise.all([flush().then(() => core.commits.idle()), core.purges.idle()])
    // A hung database must not keep the process from ending.
    await Promise.race([written, sleep(closeTimeoutMs, undefined, { ref: false })])
    await core.db.destroy()
  }

  return {
    ...intake,
    ...createClaims(core),
    ...createEffects(core),
    ...createStarts(core),
    ...createMemories(core),
    ...createFeed(core),
    ...createOwnChanges(core),
    ...createPolls(core),
    ...createPauses(core),
    ...createOutages(core),
    ...createViews(core),
    ...createFailedWork(core),
    ...createRepairs(core),
    ...createPatientErasure(core),
    ...createUpkeep(core),
    ...createTurns(core),
    ...createProjections(core),
    ...createKeys(core),
    ...createAlertBook(core),
    ...createAuditTrail(core),
    ...createLogins(core),
    close: () => (closed ??= close()),
  }
}
