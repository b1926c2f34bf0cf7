import { ownActor } from '@pawl/ledger/audit/audit-entry'
import { heldAtStart } from '@pawl/ledger/hot/holds'
import type { HoldBook } from '@pawl/ledger/upkeep/create-hold-book'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'
import type { CountViews } from '@pawl/ledger/views/counts'

/** Pauses all work before any begins, unless this ledger was paused by that word before, and records the newest delivery of the ledger: what came after it is missing where a backup was restored. */
export async function holdAtStart(
  ledger: Pick<HoldBook, 'hold'> & Pick<CountViews, 'newestDelivery'> & Pick<AuditViews, 'listAudit'>,
  by: true | string,
): Promise<void> {
  if (by !== true && (await hasHeldBy(ledger, by))) return
  const newest = await ledger.newestDelivery()
  const details = {
    ...(newest && { newest_delivery: new Date(newest.receivedAt).toISOString() }),
    ...(by !== true && { hold: by }),
  }
  await ledger.hold({ kind: 'all', name: '' }, { actor: ownActor, reason: heldAtStart }, details)
}

/** Whether this ledger was paused by that word before; a backup from before was not. */
async function hasHeldBy(ledger: Pick<AuditViews, 'listAudit'>, word: string): Promise<boolean> {
  const pauses = await ledger.listAudit({ action: 'work.pause' }, maxPauses)
  return pauses.some(({ reason, details }) => reason === heldAtStart && details.hold === word)
}

/** Newest pauses that are looked through: before them it pauses again, which is safe. */
const maxPauses = 200
