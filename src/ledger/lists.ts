import { type Kysely, sql } from 'kysely'
import { schemas, type ResourceKind } from '../resources/kinds.ts'
import type { EventFilter, EventSummary, Page, RejectionRecord, ResourceCursor, ResourceSummary } from './ledger.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** Above every number of a row. */
const newest = Number.MAX_SAFE_INTEGER

/** Events looked at for one page: a filter that hardly any event passes must not read through all of them. */
const maxLookedAt = 1_000

/** The ids of the events that a page looks at, from an index alone: the rows hold bodies. */
export function selectEventIds(db: Db, { resourceId, before }: EventFilter, limit: number) {
  const ids = db
    .selectFrom('events')
    .select('id')
    .where('id', '<', before ?? newest)
    .orderBy('id', 'desc')
    .limit(limit)
  return resourceId === undefined ? ids : ids.where('resource_id', '=', resourceId)
}

/** Events, the newest first. */
export async function listEvents(db: Db, filter: EventFilter, limit: number): Promise<Page<EventSummary, number>> {
  const { type, source } = filter
  const isNarrowed = type !== undefined || source !== undefined
  const lookedAt = (await selectEventIds(db, filter, isNarrowed ? maxLookedAt : limit).execute()).map(({ id }) => id)
  const last = lookedAt.at(-1)
  if (last === undefined) return { rows: [], next: undefined }
  let query = db
    .selectFrom('events')
    .select(['id', 'resource_id', 'kind', 'event_type', 'received_at', 'source', 'repeats'])
    .where('id', 'in', lookedAt)
    .orderBy('id', 'desc')
    .limit(limit)
  if (type !== undefined) query = query.where('event_type', '=', type)
  if (source !== undefined) query = query.where('source', '=', source)
  const found = await query.execute()
  const isFull = found.length === limit
  const isEnd = !isFull && lookedAt.length < (isNarrowed ? maxLookedAt : limit)
  const next = isFull ? found.at(-1)?.id : last
  return { rows: found.map(toEventSummary), next: isEnd ? undefined : next }
}

function toEventSummary(
  row: Pick<Tables['events'], 'resource_id' | 'kind' | 'event_type' | 'received_at' | 'source'> & {
    id: number
    repeats: number
  },
): EventSummary {
  return {
    id: row.id,
    resourceId: row.resource_id,
    kind: row.kind ?? undefined,
    type: row.event_type,
    receivedAt: row.received_at,
    source: row.source,
    repeats: row.repeats,
  }
}

// The object's own keys.
const kinds = Object.keys(schemas) as ResourceKind[]

/** Of one kind, the resources that became known last, by the index `resources_known`. */
export function selectResourceKeys(db: Db, kind: ResourceKind, limit: number, after: ResourceCursor | undefined) {
  const keys = db
    .selectFrom('resources')
    .select(['id', 'first_event_at'])
    .where('kind', '=', kind)
    .orderBy('first_event_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  return after === undefined
    ? keys
    : keys.where(sql<boolean>`(first_event_at, id) < (${after.firstEventAt}, ${after.id})`)
}

/** Resources, those known last first. */
export async function listResources(
  db: Db,
  kind: ResourceKind | undefined,
  limit: number,
  after: ResourceCursor | undefined,
): Promise<ResourceSummary[]> {
  const keys: { id: string; first_event_at: number }[] = []
  for (const each of kind === undefined ? kinds : [kind])
    keys.push(...(await selectResourceKeys(db, each, limit, after).execute()))
  if (keys.length === 0) return []
  const first = keys
    .toSorted((a, b) => b.first_event_at - a.first_event_at || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
    .map(({ id }) => id)
  const rows = await db
    .selectFrom('resources')
    .leftJoin('events', 'events.id', 'resources.newest_event_id')
    .select(['resources.id', 'resources.kind', 'first_event_at', 'received_at', 'terminal', 'due_at', 'claim_owner'])
    .where('resources.id', 'in', first)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return first.flatMap((id) => {
    const row = byId.get(id)
    return row === undefined
      ? []
      : [
          {
            id,
            kind: row.kind,
            firstEventAt: row.first_event_at,
            lastEventAt: row.received_at ?? undefined,
            terminal: row.terminal === 1,
            dueAt: row.due_at ?? undefined,
            isClaimed: row.claim_owner !== null,
          },
        ]
  })
}

/** Refused deliveries, the newest first: about 10,000 are kept, so a filter may look at all of them. */
export async function listRejections(
  db: Db,
  reason: string | undefined,
  limit: number,
  before: number | undefined,
): Promise<RejectionRecord[]> {
  let query = db
    .selectFrom('rejections')
    .select(['id', 'reason', 'bytes', 'rejected_at as at'])
    .where('id', '<', before ?? newest)
    .orderBy('id', 'desc')
    .limit(limit)
  if (reason !== undefined) query = query.where('reason', '=', reason)
  return query.execute()
}
