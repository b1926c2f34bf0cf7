import type { SqlDialect } from './dialect.ts'
import { mysql } from './mysql.ts'
import { postgres } from './postgres.ts'

const dialects: Readonly<Record<string, SqlDialect>> = { postgres, mysql, mariadb: mysql }

/** The dialect of this name: `postgres`, `mysql` or `mariadb`. */
export function dialectNamed(name: string): SqlDialect | undefined {
  return dialects[name]
}

/** The dialect of a database address; undefined for other addresses. */
export function dialectOf(url: string): SqlDialect | undefined {
  const { protocol } = new URL(url)
  return Object.values(dialects).find(({ protocols }) => protocols.includes(protocol))
}
