import type { Core } from '../core.ts'
import { namePatient } from '../upkeep/name-patient.ts'
import { openStored, readEnvelope, readSnapshot, type Revealed } from './reveal.ts'
import type { Act, AuditEntry } from './audit-entry.ts'
import type { AuditEnd, AuditState } from './audit.ts'
import type { AuditVerdict } from './verify-audit.ts'

/** Writes and checks the audit trail, and opens a snapshot once the trail records it. */
export interface AuditTrail {
  /** Records an act in the audit trail; resolves with false if its end was altered, which it records too. If this rejects, an act that must be recorded must not happen. */
  audit(entry: AuditEntry): Promise<boolean>
  /** Records an act about a patient, whose `internal_id` becomes the digest that `pawl purge --dry-run` records for it, too. */
  auditOfPatient(entry: AuditEntry, patient: string): Promise<boolean>
  /** Checks the trail for removed or changed rows; `noted` is a head kept elsewhere. */
  verifyAudit(noted?: AuditEnd): Promise<AuditVerdict>
  /** State of the end of the trail, and the last recorded break: cheap enough for every minute. */
  auditState(): Promise<AuditState>
  /** Acknowledges the last break of the trail, and all before it, by an entry with actor and reason. `row` must be its row: a later break must be seen first. Resolves with the row of the open break, or undefined without one. */
  acknowledgeBreak(act: Act & { row: number; reason: string }): Promise<number | undefined>
  /** Opens a resource's stored snapshot, or the envelope of one of its events, once the reveal and its reason are recorded in the audit trail; `nothing`: none is stored. Rejects with `SealBroken` if it cannot be opened. */
  reveal(
    resourceId: string,
    act: Act & { reason: string; eventId?: number | undefined },
  ): Promise<Revealed | 'nothing' | 'unknown'>
}

export function createAuditTrail({ commits, trail, documents, seal }: Core): AuditTrail {
  return {
    audit: (entry) => commits.write((trx, now) => trail.append(trx, now, [entry])),
    auditOfPatient: ({ details, ...entry }, patient) =>
      commits.write((trx, now) =>
        trail.append(trx, now, [{ ...entry, details: { ...details, ...namePatient(seal, patient) } }]),
      ),
    verifyAudit: (noted) => trail.verify(noted),
    auditState: () => trail.state(),
    acknowledgeBreak: (act) => commits.write((trx, now) => trail.acknowledge(trx, now, act)),
    async reveal(resourceId, { actor, reason, eventId }) {
      const details = eventId === undefined ? undefined : { event: eventId }
      const found = await commits.write(async (trx, now) => {
        const stored = await (eventId === undefined
          ? readSnapshot(trx, resourceId, documents)
          : readEnvelope(trx, { id: resourceId, eventId }, documents))
        if (typeof stored !== 'string')
          await trail.append(trx, now, [{ actor, action: 'resource.reveal', resourceId, reason, details }])
        return stored
      })
      return typeof found === 'string' ? found : openStored(found)
    },
  }
}
