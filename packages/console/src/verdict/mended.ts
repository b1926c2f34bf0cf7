import type { DiskRoom } from '@pawl/ledger/upkeep/disk-room'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'
import type { NewestDelivery } from '@pawl/ledger/views/newest-delivery'

/** Milliseconds without a refusal after which a stored delivery proves the fault over; forged deliveries come more often. */
const calmAfterMs = 20_000

/** Whether deliveries are accepted again after refusals. */
export function isAcceptedAgain(
  lastRefusedAt: number,
  { newest, now }: { newest: NewestDelivery | undefined; now: number },
): boolean {
  return now - lastRefusedAt > calmAfterMs && (newest?.receivedAt ?? 0) > lastRefusedAt
}

/** Whether the reason is gone for which deliveries were turned away. */
export function isReasonGone(
  reason: string,
  { disk, blocked }: { disk: DiskRoom | undefined; blocked?: WritesBlocked | undefined },
): boolean {
  if (reason === 'disk_full') return disk !== undefined && disk.state !== 'full'
  return reason === 'ledger_locked' && blocked === undefined
}
