import { z } from 'zod'
import { Word } from '@pawl/base/pages/query'
import { auditActions } from '@pawl/ledger/audit/audit-entry'
import { readMoment, startOfDay } from './report/period.ts'

const Day = z.iso.date().optional().catch(undefined)

/** Filter of a page's entries, from its address. */
export const AuditQuery = z.object({
  actor: Word,
  action: z.enum(auditActions).optional().catch(undefined),
  resource: Word,
  /** Days in the time zone of the process (setting TZ), inclusive. */
  from: Day,
  to: Day,
})
export type AuditQuery = z.infer<typeof AuditQuery>

/** The filter for the ledger. */
export function filterOfAudit({ actor, action, resource, from, to }: AuditQuery) {
  const end = to === undefined ? undefined : readMoment(to)
  return {
    actor,
    action,
    resourceId: resource,
    since: from === undefined ? undefined : readMoment(from),
    until: end === undefined ? undefined : startOfDay(end, 1),
  }
}
