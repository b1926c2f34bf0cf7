import type { Kysely, Transaction } from 'kysely'
import type { Settled } from './batch.ts'
import { ClaimLost, readHeld } from './claims.ts'
import type { ClaimToken, Remembered } from './ledger.ts'
import { createStatement } from './statement.ts'
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

/** What the holder of a claim wants to have remembered. */
export interface Memorandum {
  token: ClaimToken
  system: string
  role: string
  remembered: Remembered
}

const upsertMemory = createStatement((db, rows: readonly Tables['memory'][]) =>
  db
    .insertInto('memory')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['resource_id', 'system', 'role']).doUpdateSet((eb) => ({
        foreign_id: eb.ref('excluded.foreign_id'),
        version: eb.ref('excluded.version'),
        digest: eb.ref('excluded.digest'),
        written_at: eb.ref('excluded.written_at'),
      })),
    ),
)

/** Remembers it all, in place of what was remembered before; `ClaimLost` of what is not held any more. */
export async function writeMemories(
  trx: Transaction<Tables>,
  memoranda: readonly Memorandum[],
  now: number,
): Promise<Settled<undefined>[]> {
  const held = await readHeld(
    trx,
    memoranda.map(({ token }) => token),
  )
  // Of two under one role the later one counts.
  const rows = new Map<string, Tables['memory']>()
  for (const [index, { token, system, role, remembered }] of memoranda.entries()) {
    if (held[index] instanceof ClaimLost) continue
    const { id, version = null, digest = null } = remembered
    const key = { resource_id: token.resourceId, system, role }
    rows.set(JSON.stringify(key), { ...key, foreign_id: id, version, digest, written_at: now })
  }
  if (rows.size > 0) await upsertMemory(trx, [...rows.values()])
  return held.map((standing) => (standing instanceof ClaimLost ? { error: standing } : { result: undefined }))
}
