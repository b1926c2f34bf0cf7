import { type Clock, systemClock } from '../clock.ts'
import { openBodyStore } from './bodies/open-body-store.ts'
import { createLedger } from './create-ledger.ts'
import type { Ledger, LedgerSettings } from './ledger.ts'
import { openStorage } from './open-storage.ts'
import { createSeal } from './seal.ts'
import { openThreadedLedger } from './sqlite/threaded-ledger.ts'

/** Opens the ledger: SQLite, which waits for the disk, on a thread of its own, unless a clock is given, which cannot go there. `onError` hears of connections that broke at rest. Throws `LedgerFileUnusable`, `LedgerUnfinished`. */
export function openLedger(
  settings: LedgerSettings,
  { clock, onError }: { clock: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  if (clock === undefined && settings.databaseUrl.startsWith('file:')) return openThreadedLedger(settings)
  return openLocalLedger(settings, { clock, onError })
}

/** The same on this thread. */
export async function openLocalLedger(
  { databaseUrl, sealingKeys, bodyStore }: LedgerSettings,
  { clock, onError }: { clock: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  const storage = await openStorage(databaseUrl, { clock: clock ?? systemClock, onError })
  return createLedger({
    storage,
    seal: createSeal(sealingKeys),
    bodyStore: bodyStore && (await openBodyStore(bodyStore)),
  })
}
