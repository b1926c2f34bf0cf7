import type { SqlDialect } from './dialect.ts'
import { mysql } from './mysql.ts'
import { postgres } from './postgres.ts'
import { sqlServer } from './sql-server.ts'

/** Every database that can be written to, by its name on the command line. */
export const dialects = { postgres, mysql, sqlserver: sqlServer } as const satisfies Record<string, SqlDialect>

/** The database that an address is of; undefined for other addresses. */
export function dialectOf(url: string): SqlDialect | undefined {
  const { protocol } = new URL(url)
  return Object.values(dialects).find(({ protocols }) => protocols.includes(protocol))
}
