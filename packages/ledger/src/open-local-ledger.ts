import { type Clock, systemClock } from '@pawl/base/clock'
import { createLedger } from './create-ledger.ts'
import type { Ledger, LedgerSettings } from './ledger.ts'
import { readDigestKey } from './sealing/digest-key.ts'
import { openStorage } from './open-storage.ts'
import { createSeal } from './sealing/seal.ts'

/** Opens the ledger on the calling thread. `onError` reports broken idle connections. Throws `LedgerFileUnusable`, `LedgerUnfinished`, and `SealBroken` if the key that sealed it is not listed. */
export async function openLocalLedger(
  { databaseUrl, sealingKeys, acceptsPlain }: LedgerSettings,
  { clock = systemClock, onError }: { clock?: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  const storage = await openStorage(databaseUrl, { clock, onError })
  const seal = createSeal(sealingKeys, { acceptsPlain })
  const ledger = createLedger({ storage, seal })
  try {
    // Fails early: under another key no copy would be recognised. A missing key is created later, once the trail has a row to bind it to.
    await readDigestKey(storage.db, seal)
    return ledger
  } catch (error) {
    await ledger.close()
    throw error
  }
}
