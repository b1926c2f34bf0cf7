import type { Kysely, Transaction } from 'kysely'
import { findByLookup } from '../hot/lookups.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import { numbersOf } from '../resource-number.ts'

/** Memories to delete: a system's, under this role, of patients with this number, or with this id. */
export interface MemoryMatch {
  system: string
  role: string
  value: string
}

/** Max resources searched for one patient. */
const maxFound = 10_000

/** The resources with such a memory. */
export async function findByMemory(
  db: Kysely<Tables>,
  { system, role, value }: MemoryMatch,
  seal: Pick<Seal, 'digests'>,
): Promise<string[]> {
  const carrying = await findByLookup(db, { value, fields: ['internal_id', 'mrn'] }, maxFound, seal)
  const rows = await db
    .selectFrom('memory')
    .innerJoin('resources', 'number', 'resource')
    .select('id')
    .where('system', '=', system)
    .where('role', '=', role)
    .where('foreign_id', '=', value)
    .limit(maxFound)
    .execute()
  return [...new Set([...carrying.map(({ resourceId }) => resourceId), ...rows.map(({ id }) => id)])]
}

/** Deletes a system's memories of these resources under a role. */
export async function forgetMemory(
  trx: Transaction<Tables>,
  { system, role }: Pick<MemoryMatch, 'system' | 'role'>,
  resourceIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < resourceIds.length; at += 500)
    await trx
      .deleteFrom('memory')
      .where('system', '=', system)
      .where('role', '=', role)
      .where('resource', 'in', numbersOf(resourceIds.slice(at, at + 500)))
      .execute()
}
