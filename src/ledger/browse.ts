import { type Kysely, sql } from 'kysely'
import type { BrowsedEvent, BrowsedResource, EventFilter, ResourceFilter } from './ledger.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** Rows that one look goes through, whatever of them fits. */
const windowSize = 1_000

const eventColumns = ['id', 'resource_id', 'kind', 'event_type', 'received_at', 'source', 'repeats'] as const

/** The next events that fit, of a bounded number that is looked at: the newest first, or with `after` the oldest first. `cursor` is where to go on; absent: at the end. */
export async function browseEvents(
  db: Db,
  { type, resourceId, since, before, after }: EventFilter,
  limit: number,
): Promise<{ events: BrowsedEvent[]; cursor: number | undefined }> {
  let looked = db
    .selectFrom('events')
    .select(eventColumns)
    .orderBy('id', after === undefined ? 'desc' : 'asc')
    .limit(windowSize)
  if (resourceId !== undefined) looked = looked.where('resource_id', '=', resourceId)
  if (before !== undefined) looked = looked.where('id', '<', before)
  if (after !== undefined) looked = looked.where('id', '>', after)
  const rows = await looked.execute()
  const fitting = rows.filter(
    (row) => (type === undefined || row.event_type === type) && (since === undefined || row.received_at >= since),
  )
  const events = fitting.slice(0, limit).map((row) => ({
    id: row.id,
    resourceId: row.resource_id === '' ? undefined : row.resource_id,
    kind: row.kind ?? undefined,
    type: row.event_type,
    receivedAt: row.received_at,
    source: row.source,
    repeats: row.repeats,
  }))
  const last = fitting.length > limit ? events.at(-1) : rows.at(-1)
  const isOver = fitting.length <= limit && (rows.length < windowSize || isBefore(rows.at(-1), since, after))
  return { events, cursor: isOver ? undefined : last?.id }
}

/** Going back, whatever follows was received earlier still. */
function isBefore(row: { received_at: number } | undefined, since: number | undefined, after: number | undefined) {
  return after === undefined && since !== undefined && row !== undefined && row.received_at < since
}

/** The next resources that fit, by id, of a bounded number that is looked at. `cursor` is where to go on; absent: at the end. */
export async function browseResources(
  db: Db,
  { kind, state, after = '' }: ResourceFilter,
  limit: number,
): Promise<{ resources: BrowsedResource[]; cursor: string | undefined }> {
  const ids = await findIds(db, state, after)
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('resources')
          .select(['id', 'kind', 'first_event_at', 'terminal', 'due_at'])
          .where('id', 'in', ids)
          .orderBy('id')
          .execute()
  const fitting = rows.filter(
    (row) => (kind === undefined || row.kind === kind) && (state !== 'due' || row.due_at !== null),
  )
  const shown = fitting.slice(0, limit)
  const shownIds = shown.map(({ id }) => id)
  const open =
    shownIds.length === 0
      ? []
      : await db
          .selectFrom('progress')
          .select(['resource_id', 'state'])
          .where('resource_id', 'in', shownIds)
          .where('state', '<>', sql.lit('synced'))
          .execute()
  const countOf = (id: string, wanted: 'due' | 'parked') =>
    open.filter((row) => row.resource_id === id && row.state === wanted).length
  const resources = shown.map((row) => ({
    id: row.id,
    kind: row.kind,
    firstEventAt: row.first_event_at,
    terminal: row.terminal === 1,
    dueAt: row.due_at ?? undefined,
    failing: countOf(row.id, 'due'),
    parked: countOf(row.id, 'parked'),
  }))
  const isCut = fitting.length > limit
  return { resources, cursor: isCut ? shownIds.at(-1) : ids.length < windowSize ? undefined : ids.at(-1) }
}

/** The next ids in this state. */
async function findIds(db: Db, state: ResourceFilter['state'], after: string): Promise<string[]> {
  if (state === 'parked' || state === 'failing') {
    const rows = await db
      .selectFrom('progress')
      .select('resource_id as id')
      .distinct()
      .where('state', '<>', sql.lit('synced'))
      .where('state', '=', sql.lit(state === 'parked' ? 'parked' : 'due'))
      .where('resource_id', '>', after)
      .orderBy('resource_id')
      .limit(windowSize)
      .execute()
    return rows.map(({ id }) => id)
  }
  const rows = await db
    .selectFrom('resources')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(windowSize)
    .execute()
  return rows.map(({ id }) => id)
}
