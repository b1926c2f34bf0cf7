import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'

/** A break of the audit trail is news for a week, in milliseconds; in the trail itself it stays. */
const newsMs = 7 * 86_400_000

/** Whether the end of the audit trail is not as pawl left it, or some process found it so within the last week. */
export async function isAuditAltered(ledger: Pick<AuditTrail, 'auditState'>): Promise<boolean> {
  const { broken, lastBreak } = await ledger.auditState()
  return broken !== undefined || (lastBreak !== undefined && lastBreak.agoMs <= newsMs)
}
