import type { Kysely, Transaction } from 'kysely'
import type { Remembered } from './ledger.ts'
import type { Tables } from './tables.ts'

/** Names one thing that a connector remembers. */
interface MemoryKey {
  system: string
  resourceId: string
  role: string
}

/** What a connector remembers of a resource under one of its roles. */
export async function readMemory(
  db: Kysely<Tables>,
  { system, resourceId, role }: MemoryKey,
): Promise<Remembered | undefined> {
  const row = await db
    .selectFrom('memory')
    .select(['foreign_id', 'version', 'digest'])
    .where('resource_id', '=', resourceId)
    .where('system', '=', system)
    .where('role', '=', role)
    .executeTakeFirst()
  return row && { id: row.foreign_id, version: row.version ?? undefined, digest: row.digest ?? undefined }
}

/** Remembers it, in place of what was remembered before. */
export async function writeMemory(
  trx: Transaction<Tables>,
  { system, resourceId, role }: MemoryKey,
  { id, version, digest }: Remembered,
  now: number,
): Promise<void> {
  const row = { foreign_id: id, version: version ?? null, digest: digest ?? null, written_at: now }
  await trx
    .insertInto('memory')
    .values({ system, resource_id: resourceId, role, ...row })
    .onConflict((conflict) => conflict.columns(['resource_id', 'system', 'role']).doUpdateSet(row))
    .execute()
}
