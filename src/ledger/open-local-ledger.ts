import { type Clock, systemClock } from '../base/clock.ts'
import { createLedger } from './create-ledger.ts'
import type { Ledger, LedgerSettings } from './ledger.ts'
import { readDigestKey } from './sealing/digest-key.ts'
import { openStorage } from './open-storage.ts'
import { createSeal } from './sealing/seal.ts'

/** Opens the ledger on the thread that calls. `onError` hears of connections that broke at rest. Throws `LedgerFileUnusable`, `LedgerUnfinished`, and `SealBroken` where the key that sealed it is not listed. */
export async function openLocalLedger(
  { databaseUrl, sealingKeys, acceptsPlain }: LedgerSettings,
  { clock = systemClock, onError }: { clock?: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  const storage = await openStorage(databaseUrl, { clock, onError })
  const seal = createSeal(sealingKeys, { acceptsPlain })
  const ledger = createLedger({ storage, seal })
  try {
    // Under another key nothing that comes would be recognised: that is found out before anything does. It is made once the trail has a row that it can be bound to.
    await readDigestKey(storage.db, seal)
    return ledger
  } catch (error) {
    await ledger.close()
    throw error
  }
}
