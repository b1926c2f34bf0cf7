import { type Kysely, sql, type Transaction } from 'kysely'
import { findByLookup } from '../projections/lookups.ts'
import { readStateDocument } from '../hot/state-document.ts'
import { editDocuments } from '../hot/states.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import { readNumbers } from '../resource-number.ts'

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
  // The id as stored in JSON; false matches are filtered out below.
  const sought = JSON.stringify({ id: value }).slice(1, -1)
  const rows = await db
    .selectFrom('states')
    .innerJoin('resources', 'number', 'resource')
    .select(['id', 'document'])
    .where(sql<boolean>`replace(document, ${sought}, '') <> document`)
    .limit(maxFound)
    .execute()
  const remembering = rows.filter(
    ({ document }) => readStateDocument(document).memory.get(system)?.get(role)?.id === value,
  )
  return [...new Set([...carrying.map(({ resourceId }) => resourceId), ...remembering.map(({ id }) => id)])]
}

/** Deletes a system's memories of these resources under a role. */
export async function forgetMemory(
  trx: Transaction<Tables>,
  { system, role }: Pick<MemoryMatch, 'system' | 'role'>,
  resourceIds: readonly string[],
): Promise<void> {
  const numbers = [...(await readNumbers(trx, resourceIds)).values()]
  for (let at = 0; at < numbers.length; at += 500)
    await editDocuments(trx, numbers.slice(at, at + 500), ({ memory }) => {
      memory.get(system)?.delete(role)
    })
}
