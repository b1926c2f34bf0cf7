import type { Kysely } from 'kysely'
import type { AuditAction, AuditDetails, AuditRecord } from './audit-entry.ts'
import type { Tables } from './tables.ts'

/** Which entries are asked for. */
export interface AuditFilter {
  /** Those after this one; absent: from the first. */
  after?: number | undefined
  since?: number | undefined
  resourceId?: string | undefined
  action?: AuditAction | undefined
}

/** Entries of the trail, the oldest first. */
export async function readAudit(db: Kysely<Tables>, filter: AuditFilter, limit: number): Promise<AuditRecord[]> {
  const { after = 0, since, resourceId, action } = filter
  let query = db.selectFrom('audit').selectAll().where('id', '>', after).orderBy('id').limit(limit)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (resourceId !== undefined) query = query.where('resource_id', '=', resourceId)
  if (action !== undefined) query = query.where('action', '=', action)
  return (await query.execute()).map((row) => ({
    id: row.id,
    at: row.at,
    actor: { name: row.actor, via: row.via },
    action: row.action,
    resourceId: row.resource_id ?? undefined,
    handler: row.handler ?? undefined,
    reason: row.reason ?? undefined,
    details: readDetails(row.details),
    hash: row.hash,
    isSigned: row.signature !== null,
  }))
}

/** As audit.ts writes them; what somebody else put there is shown as nothing, and `verifyAudit` finds it. */
function readDetails(text: string): AuditDetails {
  try {
    const details: unknown = JSON.parse(text)
    return typeof details === 'object' && details !== null ? (details as AuditDetails) : {}
  } catch {
    return {}
  }
}
