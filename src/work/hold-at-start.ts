import { ownActor } from '../ledger/audit/audit-entry.ts'
import { heldAtStart } from '../ledger/hot/holds.ts'
import type { HoldBook } from '../ledger/upkeep/create-hold-book.ts'
import type { CountViews } from '../ledger/views/counts.ts'

/** Pauses all work before any begins, and records the newest delivery of the ledger: what came after it is missing where a backup was restored. */
export async function holdAtStart(ledger: Pick<HoldBook, 'hold'> & Pick<CountViews, 'newestDelivery'>): Promise<void> {
  const newest = await ledger.newestDelivery()
  const details = newest && { newest_delivery: new Date(newest.receivedAt).toISOString() }
  await ledger.hold({ kind: 'all', name: '' }, { actor: ownActor, reason: heldAtStart }, details)
}
