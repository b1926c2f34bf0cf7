import type { Clock } from '@pawl/base/clock'
import { LedgerUnfinished } from './ledger-unfinished.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import type { Storage } from './storage.ts'
import { isUnfinishedCopy } from './upkeep/copy/unfinished-copy.ts'

/** Opens the ledger's database: `file:<path>` on SQLite, `postgres://…` on PostgreSQL. `onError` reports broken idle connections. Throws `LedgerUnfinished`. */
export async function openStorage(
  databaseUrl: string,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Promise<Storage> {
  const storage = databaseUrl.startsWith('file:')
    ? await openSqlite(databaseUrl.slice('file:'.length), clock)
    : await openPostgres(databaseUrl, onError)
  if (!(await isUnfinishedCopy(storage.db))) return storage
  await storage.db.destroy()
  throw new LedgerUnfinished('DATABASE_URL leads to an unfinished copy: finish it with pawl ledger copy, then start.')
}

/** Loads the PostgreSQL driver only when used. */
async function openPostgres(databaseUrl: string, onError: (error: Error) => void): Promise<Storage> {
  const postgres = await import('./postgres/open-postgres.ts')
  return postgres.openPostgres(databaseUrl, onError)
}
