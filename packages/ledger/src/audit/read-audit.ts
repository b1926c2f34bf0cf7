import { type Kysely, type Selectable, sql } from 'kysely'
import type { Actor, AuditAction, AuditDetails, AuditRecord, AuthMethod } from './audit-entry.ts'
import type { Tables } from '../tables.ts'

/** Filter for entries. */
export interface AuditFilter {
  /** Entries after this one; absent: from the first. */
  after?: number | undefined
  since?: number | undefined
  until?: number | undefined
  /** Name of the actor. */
  actor?: string | undefined
  resourceId?: string | undefined
  action?: AuditAction | undefined
}

/** Cursor: the last entry read. */
export interface AuditCursor {
  at: number
  id: number
}

/** When a patient was last erased, by any of the digests that identify the patient in the trail. */
export async function readLastErasure(db: Kysely<Tables>, digests: readonly string[]): Promise<number | undefined> {
  const row = await matching(db, { action: 'patient.erase' })
    .where((where) => where.or(digests.map((digest) => where('details', 'like', `%"patient":"${digest}"%`))))
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.at
}

function matching(db: Kysely<Tables>, { since, until, actor, resourceId, action }: AuditFilter) {
  let query = db.selectFrom('audit').selectAll()
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (resourceId !== undefined) query = query.where('resource_id', '=', resourceId)
  if (action !== undefined) query = query.where('action', '=', action)
  return query
}

function toRecord(row: Selectable<Tables['audit']>): AuditRecord {
  return {
    id: row.id,
    at: row.at,
    actor: readActor(row),
    action: row.action,
    resourceId: row.resource_id ?? undefined,
    handler: row.handler ?? undefined,
    reason: row.reason ?? undefined,
    details: readDetails(row.details),
    hash: row.hash,
    isSigned: row.signature !== null,
  }
}

/** Written by audit.ts. */
export function readActor({
  actor,
  via,
  issuer,
  subject,
}: Pick<Selectable<Tables['audit']>, 'actor' | 'via' | 'issuer' | 'subject'>): Actor {
  // The column was written from these types.
  const [by, auth] = via.split(':') as [Actor['via'], AuthMethod?]
  const account = issuer === null || subject === null ? {} : { account: { issuer, subject } }
  return { name: actor, via: by, ...(auth !== undefined && { auth }), ...account }
}

/** Written by audit.ts; a forged value reads as empty, and `verifyAudit` reports it. */
export function readDetails(text: string): AuditDetails {
  try {
    const details: unknown = JSON.parse(text)
    return typeof details === 'object' && details !== null ? (details as AuditDetails) : {}
  } catch {
    return {}
  }
}

/** Reads of the audit trail. */
export type AuditViews = ReturnType<typeof createAuditViews>

export function createAuditViews({ db }: { db: Kysely<Tables> }) {
  return {
    /** Whether a session was ended before its time. */
    async isSessionEnded(id: string): Promise<boolean> {
      const row = await db.selectFrom('ended_sessions').select('until').where('id', '=', id).executeTakeFirst()
      return row !== undefined
    },
    /** Entries of the audit trail, oldest first. */
    async readAudit(filter: AuditFilter, limit: number): Promise<AuditRecord[]> {
      const { after = 0 } = filter
      const query = matching(db, filter).where('id', '>', after).orderBy('id').limit(limit)
      return (await query.execute()).map(toRecord)
    },
    /** Entries of the audit trail before a cursor, newest first: by time, which each index of the table ends with. */
    async listAudit(filter: Omit<AuditFilter, 'after'>, limit: number, before?: AuditCursor): Promise<AuditRecord[]> {
      let query = matching(db, filter).orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
      if (before !== undefined) query = query.where(sql<boolean>`(at, id) < (${before.at}, ${before.id})`)
      return (await query.execute()).map(toRecord)
    },
  }
}
