import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Begins the owner of every claim of a process. */
export const ownerPrefix = (processName: string) => `${processName}:`

/** Ends the leases of a dead process only: its claims still count as lost. */
export async function freeClaimsOf(db: Kysely<Tables>, processName: string): Promise<void> {
  await db
    .updateTable('resources')
    .set({ claim_until: 0 })
    // Every claimed resource is due, which has an index.
    .where('due_at', 'is not', null)
    .where('claim_owner', 'like', `${ownerPrefix(processName)}%`)
    .execute()
}
