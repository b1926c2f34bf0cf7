import { z } from 'zod'
import { auditActions } from '../ledger/audit/audit-entry.ts'

const word = (max: number) => z.string().trim().min(1).max(max).optional().catch(undefined)
const Day = z.iso.date().optional().catch(undefined)

/** Filter of a page's entries, from its address. */
export const AuditQuery = z.object({
  actor: word(120),
  action: z.enum(auditActions).optional().catch(undefined),
  resource: word(200),
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

/** The filter as the query of an address. */
export function queryOfAudit(
  query: Partial<AuditQuery>,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries({ ...query, ...more }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
