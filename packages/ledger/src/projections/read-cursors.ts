import type { Kysely } from 'kysely'
import type { ProjectionName, Tables } from '../tables.ts'

/** The last row that each projection has read. */
export async function readCursors(db: Kysely<Tables>): Promise<Record<ProjectionName, number>> {
  const rows = await db.selectFrom('projections').selectAll().execute()
  const stored = Object.fromEntries(rows.map(({ name, last_id: last }) => [name, last]))
  return { lookups: 0, outcomes: 0, runs: 0, deliveries: 0, refusals: 0, ...stored }
}
