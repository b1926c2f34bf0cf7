import type { Core } from '../core.ts'
import { openSnapshot, readSnapshot, type Revealed } from './reveal.ts'
import type { Act, AuditEntry } from './audit-entry.ts'
import type { AuditEnd, AuditState } from './audit.ts'
import type { AuditVerdict } from './verify-audit.ts'

/** Writes and checks the audit trail, and opens a snapshot once the trail says so. */
export interface AuditTrail {
  /** Writes what somebody does into the audit trail; resolves with false where its end was not as it was left, which it says as well. What must be written down is not done where this rejects. */
  audit(entry: AuditEntry): Promise<boolean>
  /** Looks whether a row of the trail was removed or changed; `noted` is a head that was kept elsewhere. */
  verifyAudit(noted?: AuditEnd): Promise<AuditVerdict>
  /** How the end of the trail stands, and when a break was noted last: what may be asked every minute. */
  auditState(): Promise<AuditState>
  /** Opens the stored snapshot of a resource for somebody, once that, and why, is written into the audit trail; `nothing`: none is stored. Rejects with `SealBroken` where it cannot be opened. */
  reveal(resourceId: string, act: Act & { reason: string }): Promise<Revealed | 'nothing' | 'unknown'>
}

export function createAuditTrail({ commits, trail, documents }: Core): AuditTrail {
  return {
    audit: (entry) => commits.write((trx, now) => trail.append(trx, now, [entry])),
    verifyAudit: (noted) => trail.verify(noted),
    auditState: () => trail.state(),
    async reveal(resourceId, { actor, reason }) {
      const found = await commits.write(async (trx, now) => {
        const snapshot = await readSnapshot(trx, resourceId, documents)
        if (typeof snapshot !== 'string')
          await trail.append(trx, now, [{ actor, action: 'resource.reveal', resourceId, reason }])
        return snapshot
      })
      return typeof found === 'string' ? found : openSnapshot(found)
    },
  }
}
