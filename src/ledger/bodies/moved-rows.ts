import type { Kysely } from 'kysely'
import { type Place, placeOf } from '../place.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** A body that is in the store: whose it is, and what it is sealed for. */
export interface MovedBody {
  eventId: number
  /** Empty where it belongs to no resource. */
  resourceId: string
  key: string
  place: Place
}

const columns = ['id', 'resource_id', 'fingerprint', 'body_key'] as const

/** The bodies of these resources, and of these events of none, that are in the store. */
export async function readMoved(
  db: Db,
  { resourceIds, strayIds }: { resourceIds: readonly string[]; strayIds: readonly number[] },
): Promise<MovedBody[]> {
  const moved = db.selectFrom('events').select(columns).where('body_key', 'is not', null).orderBy('id')
  const rows = [
    ...(resourceIds.length === 0 ? [] : await moved.where('resource_id', 'in', resourceIds).execute()),
    ...(strayIds.length === 0 ? [] : await moved.where('id', 'in', strayIds).execute()),
  ]
  return rows.map(toMoved)
}

/** The oldest body that is in the store. */
export async function readOldestMoved(db: Db): Promise<MovedBody | undefined> {
  const moved = db.selectFrom('events').select(columns).where('body_key', 'is not', null)
  const row = await moved.orderBy('id').limit(1).executeTakeFirst()
  return row && toMoved(row)
}

function toMoved(row: {
  id: number
  resource_id: string
  fingerprint: Uint8Array
  body_key: string | null
}): MovedBody {
  return {
    eventId: row.id,
    resourceId: row.resource_id,
    // Only rows that have one are asked for.
    key: row.body_key ?? '',
    place: placeOf.body(row.resource_id, row.fingerprint),
  }
}
