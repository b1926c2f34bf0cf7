import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'

/** Milliseconds for which a break of the audit trail raises an alert; the trail itself shows it for good. */
const newsMs = 7 * 86_400_000

/** Whether the end of the audit trail is altered, or a break found within the last week is not acknowledged. */
export async function isAuditAltered(ledger: Pick<AuditTrail, 'auditState'>): Promise<boolean> {
  const { broken, lastBreak } = await ledger.auditState()
  return broken !== undefined || (lastBreak !== undefined && lastBreak.agoMs <= newsMs)
}
