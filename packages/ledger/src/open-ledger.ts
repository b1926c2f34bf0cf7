import type { Clock } from '@pawl/base/clock'
import type { Ledger, LedgerSettings } from './ledger.ts'
import { openThreadedLedger } from './sqlite/threaded-ledger.ts'

/** Opens the ledger. SQLite, which blocks on the disk, gets its own thread, unless a clock is given, which cannot be sent there. `onError` reports broken idle connections. Throws `LedgerFileUnusable`, `LedgerUnfinished`. */
export async function openLedger(
  settings: LedgerSettings,
  { clock, onError }: { clock: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  if (clock === undefined && settings.databaseUrl.startsWith('file:')) return openThreadedLedger(settings)
  // A thread of its own loads it a second time.
  const { openLocalLedger } = await import('./open-local-ledger.ts')
  return openLocalLedger(settings, { clock, onError })
}
