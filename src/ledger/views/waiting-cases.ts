import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** The number of resources with work that waits for a system. */
export interface WaitingCases {
  system: string
  count: number
}

/** Cap of the pieces of work read. */
const maxPieces = 20_000

/** The resources that wait for each system, each counted once however many handlers wait. */
export async function readWaitingCases(db: Kysely<Tables>): Promise<WaitingCases[]> {
  const { rows } = await sql<{ system: string; count: number }>`
    select error_system as system, count(distinct resource) as count
    from (select error_system, resource from progress where waits_since is not null limit ${maxPieces}) as waiting
    where error_system <> '' group by error_system`.execute(db)
  return rows
}
