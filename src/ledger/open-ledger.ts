import type { Clock } from '../base/clock.ts'
import type { Ledger, LedgerSettings } from './ledger.ts'
import { openLocalLedger } from './open-local-ledger.ts'
import { openThreadedLedger } from './sqlite/threaded-ledger.ts'

/** Opens the ledger: SQLite, which waits for the disk, on a thread of its own, unless a clock is given, which cannot go there. `onError` hears of connections that broke at rest. Throws `LedgerFileUnusable`, `LedgerUnfinished`. */
export function openLedger(
  settings: LedgerSettings,
  { clock, onError }: { clock: Clock | undefined; onError: (error: Error) => void },
): Promise<Ledger> {
  if (clock === undefined && settings.databaseUrl.startsWith('file:')) return openThreadedLedger(settings)
  return openLocalLedger(settings, { clock, onError })
}
