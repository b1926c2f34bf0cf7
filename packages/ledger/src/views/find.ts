import { type Kysely, sql } from 'kysely'
import { traceIdOf } from '@pawl/base/tracing/trace-id'
import type { Documents } from '../sealing/documents.ts'
import { readSnapshotText } from './read-history.ts'
import { keyMark } from '../hot/known-events.ts'
import { findByLookup } from '../projections/lookups.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import type { IdentifierField } from 'pawl-client/schemas/identifier-fields'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { ViewCore } from '../core.ts'

/** A search: an id, any number that a snapshot carried, an event or a trace; or a number in these fields only. */
export interface Search {
  value: string
  fields?: readonly IdentifierField[] | undefined
}

/** One resource found. */
export interface Found {
  id: string
  kind: ResourceKind
  /** As in `History`. */
  snapshot: string | undefined
  lastEventAt: number | undefined
  by: 'id' | 'event' | 'trace' | IdentifierField
}

/** The resource with that id, otherwise those that carry it as a number, last heard of first, otherwise those of an event or trace, otherwise those whose id begins so. */
async function findResources(
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
  const found = await readFound(db, new Map(carrying.map(({ resourceId, field }) => [resourceId, field])), documents)
  if (found.length > 0 || fields !== undefined) return found
  const ofEvent = await readFound(db, await findByEvent(db, value.trim()), documents)
  return ofEvent.length > 0 ? ofEvent : readFound(db, await findByStart(db, value.trim(), limit), documents)
}

/** Min characters of the start of an id: fewer fit too many. */
const minStart = 12

/** The resources whose id begins so, as lists show it: an ellipsis at its end is left out. */
async function findByStart(db: Kysely<Tables>, value: string, limit: number): Promise<Map<string, 'id'>> {
  const start = value.replace(/(…|\.\.\.)$/, '')
  if (start.length < minStart) return new Map()
  // In the order of the index, whichever collation the database has.
  const rows = await db
    .selectFrom('resources')
    .select('id')
    .where('id', '>=', start)
    .orderBy('id')
    .limit(limit)
    .execute()
  return new Map(rows.flatMap(({ id }) => (id.startsWith(start) ? [[id, 'id']] : [])))
}

/** Newest events looked through for a trace, for which there is no index. */
const maxTraced = 20_000

/** The resource of an event, by its number or the sender's `event_id`, or of a trace among the newest events. */
async function findByEvent(db: Kysely<Tables>, value: string): Promise<Map<string, 'event' | 'trace'>> {
  const events = db
    .selectFrom('events')
    .select(['id', 'resource_id', 'received_at', 'traceparent'])
    .where('resource_id', '<>', '')
  const number = /^(?:#|event )?(\d{1,15})$/i.exec(value)?.[1]
  const numbered =
    number !== undefined
      ? await events.where('id', '=', Number(number)).execute()
      : await events
          .where('id', 'in', (eb) =>
            eb.selectFrom('event_marks').select('event_id').where('mark', '=', keyMark(value)).limit(1),
          )
          .execute()
  if (numbered.length > 0 || !/^[0-9a-f]{32}$/i.test(value)) return namedBy(numbered, 'event')
  const trace = value.toLowerCase()
  // Without tracing, a trace ends in the number of its event.
  const id = Number(`0x${trace.slice(12)}`)
  const untraced = Number.isSafeInteger(id) ? await events.where('id', '=', id).execute() : []
  if (untraced.some((event) => traceIdOf({ ...event, receivedAt: event.received_at }) === trace))
    return namedBy(untraced, 'trace')
  const { rows } = await sql<{ resource_id: string }>`
    select distinct resource_id
    from (select resource_id, traceparent from events order by id desc limit ${maxTraced}) as newest
    where traceparent like ${`__-${trace}-%`} and resource_id <> '' limit ${maxFound}`.execute(db)
  return namedBy(rows, 'trace')
}

/** Max resources of one trace. */
const maxFound = 50

function namedBy<By extends string>(rows: readonly { resource_id: string }[], by: By): Map<string, By> {
  return new Map(rows.map(({ resource_id: id }) => [id, by]))
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
    .leftJoin('states', 'states.resource', 'resources.number')
    .select(['resources.id', 'resources.kind', 'snapshot', 'received_at', 'first_event_at'])
    .where('resources.id', 'in', [...byId.keys()])
    .orderBy('newest_event_id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    snapshot: readSnapshotText(row, documents),
    lastEventAt: row.received_at ?? undefined,
    by: byId.get(row.id) ?? 'id',
  }))
}

/** The search for resources. */
export type SearchViews = ReturnType<typeof createSearchViews>

export function createSearchViews({ db, documents, seal }: ViewCore) {
  return {
    /** The resource with that id, otherwise those that carry it as a number, of an event or trace, or whose id begins so. */
    find: (sought: Search, limit: number) => findResources(db, sought, limit, { documents, seal }),
  }
}
