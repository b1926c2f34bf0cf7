import type { Clock } from '../clock.ts'
import { createLedger } from './create-ledger.ts'
import type { Ledger } from './ledger.ts'
import { openStorage } from './open-storage.ts'
import { createSeal } from './seal.ts'
import { createIntake, type Intake } from '../receive/intake.ts'

/** All that is needed to open a store, in a form that can be sent to another thread. */
export interface StoreSettings {
  databaseUrl: string
  /** 32 bytes each, the newest first. */
  sealingKeys: readonly Uint8Array[]
}

/** Where deliveries are kept. */
export interface Store {
  ledger: Ledger
  take: Intake
}

/** Opens the ledger, and the way in, on this thread. `onError` hears of connections that broke at rest. Closing the ledger closes it all. */
export async function openStore(
  { databaseUrl, sealingKeys }: StoreSettings,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Promise<Store> {
  const storage = await openStorage(databaseUrl, { clock, onError })
  const ledger = createLedger({ storage, seal: createSeal(sealingKeys) })
  return { ledger, take: createIntake(ledger) }
}
