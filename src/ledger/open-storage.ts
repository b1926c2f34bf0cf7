import type { Clock } from '../clock.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Storage } from './storage.ts'

/** Opens the ledger's database: `file:<path>` on SQLite, `postgres://…` on PostgreSQL. `onError` hears of connections that broke at rest. */
export function openStorage(
  databaseUrl: string,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Promise<Storage> {
  return databaseUrl.startsWith('file:')
    ? openSqlite(databaseUrl.slice('file:'.length), clock)
    : openPostgres(databaseUrl, onError)
}
