import type Database from 'better-sqlite3'
import { loadSqlite } from '../../../../../base/src/load-sqlite.ts'
import { defineHandler } from '../../../../../../src/index.ts'
import type { System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf, type OwnSystem } from '../integration-of.ts'

export interface Table {
  putRow(row: ReturnType<typeof contentOf>): Promise<void>
}

/** Opens the database at the first row. */
export function openTable(file: string, definition: string): () => Database.Database {
  let db: Database.Database | undefined
  return () => {
    if (db?.open === true) return db
    db = new (loadSqlite())(file)
    db.exec(definition)
    return db
  }
}

/** One row for each PA, written by an upsert. */
export function tableAt(file: string): System<Table> {
  const table = openTable(
    file,
    'create table if not exists decisions (reference text primary key, status text, result text, valid_until text)',
  )
  const upsert = `insert into decisions values (:reference, :status, :result, :valid_until)
    on conflict (reference) do update set status = excluded.status, result = excluded.result, valid_until = excluded.valid_until`
  return {
    open: (run) => ({
      async putRow(row) {
        run.assertMayAct()
        const { answered } = run.beginRequest('write decisions')
        table().prepare(upsert).run(row)
        answered()
        run.wrote({ type: 'Decision', id: row.reference })
      },
    }),
    async close() {
      table().close()
    },
  }
}

export const table: OwnSystem = {
  name: 'table',
  setting: 'TABLE_FILE',
  systemAt: tableAt,
  handlers: [
    defineHandler({
      name: 'decision-to-table',
      on: ['prior_authorization.status_change'],
      // The compiler cannot see which systems the integration lists.
      handle: (context) => (listedSystem(context, 'table') as Table).putRow(contentOf(context.resource)),
    }),
  ],
}

/** Odd: SQL, by a file that all lists share. */
export const integration = integrationOf(table)
