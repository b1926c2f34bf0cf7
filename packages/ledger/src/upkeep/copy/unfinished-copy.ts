import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Tables } from '../../tables.ts'

type Db = Kysely<Tables>

/** Table in the target with the progress of a copy: exists from its first row until all is verified. */
const table = 'unfinished_copy'

interface Row {
  name: string
  /** JSON: the key of the last row copied, or, for the empty name, the source's mark. */
  reached: string
  copied: number
}

/** Progress of one table. */
export interface Reached {
  /** The key of the last row copied; absent at the start. */
  key: readonly unknown[] | undefined
  copied: number
}

/** Whether a ledger is an unfinished copy: work is missing in it. */
export async function isUnfinishedCopy(db: Db): Promise<boolean> {
  // Introspection lists the tables of every schema, including other ledgers'.
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(db)
    return rows.length > 0
  }
  return (await db.introspection.getTables()).some(({ name }) => name === table)
}

/** Begins a copy of the source with this mark. */
export async function beginCopy(trx: Db, mark: string, tables: readonly string[]): Promise<void> {
  await sql`create table ${sql.table(table)} (name text primary key, reached text not null, copied bigint not null)`.execute(
    trx,
  )
  await sql`insert into ${sql.table(table)} values ('', ${mark}, 0)`.execute(trx)
  for (const name of tables) await sql`insert into ${sql.table(table)} values (${name}, '', 0)`.execute(trx)
}

/** The source's mark of an unfinished copy, and the progress of each table. */
export async function readCopy(db: Db): Promise<{ mark: string; reached: Map<string, Reached> }> {
  const { rows } = await sql<Row>`select name, reached, copied from ${sql.table(table)}`.execute(db)
  const reached = rows.map((row): [string, Reached] => [
    row.name,
    // Only a copy writes these rows, and it writes an array of key columns.
    {
      key: row.reached === '' || row.name === '' ? undefined : (JSON.parse(row.reached) as unknown[]),
      copied: row.copied,
    },
  ])
  return { mark: rows.find(({ name }) => name === '')?.reached ?? '', reached: new Map(reached) }
}

/** Records a table's progress; false if another copy advanced it meanwhile. */
export async function noteReached(trx: Db, name: string, before: Reached, after: Reached): Promise<boolean> {
  const { numAffectedRows } = await sql`update ${sql.table(table)}
    set reached = ${JSON.stringify(after.key)}, copied = ${after.copied}
    where name = ${name} and copied = ${before.copied}`.execute(trx)
  return numAffectedRows === 1n
}

/** Completes a copy: from now on the target is a normal ledger. */
export async function endCopy(trx: Db): Promise<void> {
  await sql`drop table ${sql.table(table)}`.execute(trx)
}
