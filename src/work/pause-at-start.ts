import { ownActor } from '@pawl/ledger/audit/audit-entry'
import { pausedAtStart } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { CountViews } from '@pawl/ledger/views/counts'

/** Pauses all work before any begins, and records the ledger's newest delivery. After a restore from a backup, later deliveries are missing. */
export async function pauseAtStart(ledger: Pick<Pauses, 'pause'> & Pick<CountViews, 'newestDelivery'>): Promise<void> {
  const newest = await ledger.newestDelivery()
  const details = newest && { newest_delivery: new Date(newest.receivedAt).toISOString() }
  await ledger.pause({ kind: 'all', name: '' }, { actor: ownActor, reason: pausedAtStart }, details)
}
