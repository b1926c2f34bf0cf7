import type { Kysely } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import { readStoredCodes } from './history.ts'
import type { Found, Sought } from '../ledger.ts'
import { findByLookup } from '../hot/lookups.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'

/** The resource of that id, else those that carry it as a number, the ones last heard of first. */
export async function findResources(
  db: Kysely<Tables>,
  { value, fields }: Sought,
  limit: number,
  { documents, seal }: { documents: Documents; seal: Seal },
): Promise<Found[]> {
  if (fields === undefined) {
    const named = await readFound(db, new Map([[value.trim(), 'id']]), documents)
    if (named.length > 0) return named
  }
  const carrying = await findByLookup(db, { value, fields }, limit, seal)
  return readFound(db, new Map(carrying.map(({ resourceId, field }) => [resourceId, field])), documents)
}

async function readFound(
  db: Kysely<Tables>,
  byId: ReadonlyMap<string, Found['by']>,
  documents: Documents,
): Promise<Found[]> {
  if (byId.size === 0) return []
  const rows = await db
    .selectFrom('resources')
    .leftJoin('events', 'events.id', 'resources.newest_event_id')
    .select(['resources.id', 'resources.kind', 'snapshot', 'received_at', 'first_event_at'])
    .where('resources.id', 'in', [...byId.keys()])
    .orderBy('newest_event_id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    codes: readStoredCodes(row, documents),
    lastEventAt: row.received_at ?? undefined,
    by: byId.get(row.id) ?? 'id',
  }))
}
