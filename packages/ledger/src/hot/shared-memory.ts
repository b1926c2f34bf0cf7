import type { Transaction } from 'kysely'
import type { ClaimToken } from './claim.ts'
import { assertHeld } from './claimed-states.ts'
import type { Remembered } from '@pawl/base/system-notes'
import type { Tables } from '../tables.ts'

/** A memory that all resources of a system share. */
export interface SharedKey {
  system: string
  role: string
}

/** The key that locks a shared memory in a commit, as if it were a resource. */
export const lockOf = ({ system, role }: SharedKey) => `shared ${system} ${role}`

/**
 * Locks a shared memory until the claim ends, and resolves with its content; `taken` while another live claim holds
 * it. A worker that lost its claim sends nothing more, so the next one may rely on that content. Throws `ClaimLost`.
 */
export async function takeShared(
  trx: Transaction<Tables>,
  token: ClaimToken,
  { system, role }: SharedKey,
  now: number,
): Promise<{ remembered: Remembered | undefined } | 'taken'> {
  await assertHeld(trx, token)
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

/** Writes a shared memory that this claim locked, or removes its content. */
export async function saveShared(
  trx: Transaction<Tables>,
  { owner }: Pick<ClaimToken, 'owner'>,
  { system, role }: SharedKey,
  remembered: Remembered | undefined,
): Promise<void> {
  const { id = null, version = null, digest = null } = remembered ?? {}
  await trx
    .updateTable('shared_memory')
    .set({ foreign_id: id, version, digest })
    .where('system', '=', system)
    .where('role', '=', role)
    .where('holder_owner', '=', owner)
    .execute()
}
