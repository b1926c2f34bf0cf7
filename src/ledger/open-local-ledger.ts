import { type Clock, systemClock } from '../clock.ts'
import { openBodyStore } from './bodies/open-body-store.ts'
import { createLedger } from './create-ledger.ts'
import type { Ledger, LedgerSettings } from './ledger.ts'
import { openStorage } from './open-storage.ts'
import { createSeal } from './seal.ts'

/** Opens the ledger on the thread that calls. `onError` hears of connections that broke at rest. Throws `LedgerFileUnusable`, `LedgerUnfinished`. */
export async function openLocalLedger(
  { databaseUrl, sealingKeys, bodyStore }: LedgerSettings,
  { clock = systemClock, onError }: { clock?: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  const storage = await openStorage(databaseUrl, { clock, onError })
  return createLedger({
    storage,
    seal: createSeal(sealingKeys),
    bodyStore: bodyStore && (await openBodyStore(bodyStore)),
  })
}
