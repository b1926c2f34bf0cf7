import type { Facts } from './facts.ts'

/** Milliseconds without a refusal after which a stored delivery proves the fault over; forged deliveries come more often. */
const calmAfterMs = 20_000

/** Whether deliveries are accepted again after refusals. */
export function isAcceptedAgain(lastRefusedAt: number, { newest, now }: Pick<Facts, 'newest' | 'now'>): boolean {
  return now - lastRefusedAt > calmAfterMs && (newest?.receivedAt ?? 0) > lastRefusedAt
}

/** Whether the reason is gone for which deliveries were turned away. */
export function isReasonGone(reason: string, { disk, blocked }: Pick<Facts, 'disk' | 'blocked'>): boolean {
  if (reason === 'disk_full') return disk !== undefined && disk.state !== 'full'
  return reason === 'ledger_locked' && blocked === undefined
}
