import type { Transaction } from 'kysely'
import { ClaimLost, readHeld, type ClaimToken } from './claims.ts'
import type { Tables } from '../tables.ts'

/** How a connector finds again what it wrote to its system: ids and a digest, never content. */
export interface Remembered {
  id: string
  /** The system's own version of it, where it has versions. */
  version?: string | undefined
  /** Tells whether what would be written differs from what was. */
  digest?: string | undefined
}

/** One place that all resources of a system share. */
export interface SharedPlace {
  system: string
  role: string
}

/** Under which a commit that touches a shared place is locked, as if it were a resource. */
export const lockOf = ({ system, role }: SharedPlace) => `shared ${system} ${role}`

/**
 * Takes a shared place for as long as the claim is held, and resolves with what is remembered there; `taken` while another claim that is held has
 * it. Whoever lost a claim sends nothing more, so the next one may act on what is written there. Throws `ClaimLost`.
 */
export async function takeShared(
  trx: Transaction<Tables>,
  token: ClaimToken,
  { system, role }: SharedPlace,
  now: number,
): Promise<{ remembered: Remembered | undefined } | 'taken'> {
  const [standing] = await readHeld(trx, [token])
  if (standing instanceof ClaimLost) throw standing
  const holder = { holder_id: token.resourceId, holder_owner: token.owner }
  await trx
    .insertInto('shared_memory')
    .values({ system, role, ...holder })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await trx
    .selectFrom('shared_memory')
    .selectAll()
    .where('system', '=', system)
    .where('role', '=', role)
    .executeTakeFirstOrThrow()
  if (row.holder_owner !== token.owner) {
    const held = await trx
      .selectFrom('resources')
      .select('id')
      .where('id', '=', row.holder_id)
      .where('claim_owner', '=', row.holder_owner)
      .where('claim_until', '>', now)
      .executeTakeFirst()
    if (held !== undefined) return 'taken'
    await trx.updateTable('shared_memory').set(holder).where('system', '=', system).where('role', '=', role).execute()
  }
  if (row.foreign_id === null) return { remembered: undefined }
  const { foreign_id: id, version, digest } = row
  return { remembered: { id, version: version ?? undefined, digest: digest ?? undefined } }
}

/** Remembers it at a place that this claim took. */
export async function saveShared(
  trx: Transaction<Tables>,
  { owner }: ClaimToken,
  { system, role }: SharedPlace,
  remembered: Remembered,
): Promise<void> {
  const { id, version = null, digest = null } = remembered
  await trx
    .updateTable('shared_memory')
    .set({ foreign_id: id, version, digest })
    .where('system', '=', system)
    .where('role', '=', role)
    .where('holder_owner', '=', owner)
    .execute()
}
