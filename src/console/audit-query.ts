import { z } from 'zod'
import { Word } from '../base/pages/query.ts'
import { auditActions } from '../ledger/audit/audit-entry.ts'

const Day = z.iso.date().optional().catch(undefined)

/** Filter of a page's entries, from its address. */
export const AuditQuery = z.object({
  actor: Word,
  action: z.enum(auditActions).optional().catch(undefined),
  resource: Word,
  /** Days in UTC, inclusive. */
  from: Day,
  to: Day,
})
export type AuditQuery = z.infer<typeof AuditQuery>

const dayMs = 86_400_000

/** The filter for the ledger. */
export function filterOfAudit({ actor, action, resource, from, to }: AuditQuery) {
  return {
    actor,
    action,
    resourceId: resource,
    since: from === undefined ? undefined : Date.parse(from),
    until: to === undefined ? undefined : Date.parse(to) + dayMs,
  }
}
