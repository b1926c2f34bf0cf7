import type { Kysely } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import { readStoredCodes } from './read-history.ts'
import { findByLookup } from '../hot/lookups.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import type { IdentifierField } from '../../service/schemas/identifiers.ts'
import type { ResourceKind } from '../../service/schemas/kinds.ts'

/** A search: an id or any number that a snapshot carried, or a number in these fields only. */
export interface Search {
  value: string
  fields?: readonly IdentifierField[] | undefined
}

/** One resource found. */
export interface Found {
  id: string
  kind: ResourceKind
  codes: Record<string, string>
  lastEventAt: number | undefined
  by: 'id' | IdentifierField
}

/** The resource with that id, otherwise those that carry it as a number, last heard of first. */
export async function findResources(
  db: Kysely<Tables>,
  { value, fields }: Search,
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
    .leftJoin('snapshots', 'snapshots.id', 'resources.snapshot_id')
    .select(['resources.id', 'resources.kind', 'snapshots.body as snapshot', 'received_at', 'first_event_at'])
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
