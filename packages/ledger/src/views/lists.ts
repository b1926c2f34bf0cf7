import { type Kysely, sql } from 'kysely'
import { resourceKinds, type ResourceKind } from 'pawl-client/schemas/kind-of-resource'
import type { Tables } from '../tables.ts'
import { stateConditions } from '../hot/work-conditions.ts'
import type { WorkState } from '../hot/work-filter.ts'
import { readEventIds } from '../hot/event-chain.ts'
import { numberOf } from '../resource-number.ts'
import { toEventRecord } from '../hot/event-record.ts'
import type { ViewCore } from '../core.ts'
import type {
  EventFilter,
  EventState,
  EventSummary,
  Page,
  RejectionFilter,
  RejectionRecord,
  ResourceCursor,
  ResourceFilter,
  ResourceSummary,
} from './rows.ts'

type Db = Kysely<Tables>

/** Above every row number. */
export const newest = Number.MAX_SAFE_INTEGER

/** Max rows read per page, so that a narrow filter does not read the whole table. */
export const maxRowsRead = 1_000

/** Numbers of the events that a page reads: the rows hold bodies. */
async function readPageIds(db: Db, { resourceId, before, after }: EventFilter, limit: number): Promise<number[]> {
  if (resourceId !== undefined) {
    if (after === undefined) return readEventIds(db, resourceId, { before, limit })
    const ids = await readEventIds(db, resourceId, { before })
    return ids
      .filter((id) => id > after)
      .toReversed()
      .slice(0, limit)
  }
  let ids = db
    .selectFrom('events')
    .select('id')
    .where('id', '<', before ?? newest)
    .orderBy('id', orderOf({ after }))
    .limit(limit)
  if (after !== undefined) ids = ids.where('id', '>', after)
  return (await ids.execute()).map(({ id }) => id)
}

function orderOf({ after }: Pick<EventFilter, 'after'>) {
  return after === undefined ? 'desc' : 'asc'
}

/** `EventState` of a row: a handler whose work began after it has handled it. */
const eventState = sql<EventState>`case when events.kind is null then 'unhandled' else coalesce(
  (select case min(case when ${stateConditions.parked} then 0 when ${stateConditions.failing} then 1
      when ${stateConditions.waiting} then 2 else 3 end)
    when 0 then 'parked' when 1 then 'failing' when 2 then 'waiting' when 3 then 'due' end
    from work where work.resource = events.resource and work.first_event_id <= events.id),
  case when resources.due_at is not null and coalesce(resources.snapshot_event_id, 0) < events.id
    then 'due' else 'synced' end) end`

/** Events, newest first; with `after`, oldest first. */
async function listEvents(db: Db, filter: EventFilter, limit: number): Promise<Page<EventSummary, number>> {
  const { type, source, since, state } = filter
  const isNarrowed = [type, source, since, state].some((each) => each !== undefined)
  const size = isNarrowed ? maxRowsRead : limit
  const lookedAt = await readPageIds(db, filter, size)
  const last = lookedAt.at(-1)
  if (last === undefined) return { rows: [], next: undefined }
  let query = db
    .selectFrom('events')
    .leftJoin('resources', 'number', 'events.resource')
    .select(['events.id', 'resource_id', 'events.kind', 'event_type', 'received_at', 'source', 'repeats'])
    .select(eventState.as('state'))
    .where('events.id', 'in', lookedAt)
    .orderBy('events.id', orderOf(filter))
    .limit(limit)
  if (type !== undefined) query = query.where('event_type', '=', type)
  if (source !== undefined) query = query.where('source', '=', source)
  if (since !== undefined) query = query.where('received_at', '>=', since)
  if (state !== undefined) query = query.where(eventState, '=', state)
  const found = await query.execute()
  const isFull = found.length === limit
  const isEnd = !isFull && (lookedAt.length < size || (await isTooOld(db, last, filter)))
  const next = isFull ? found.at(-1)?.id : last
  const rows = found.map((row) => ({
    ...toEventRecord(row),
    resourceId: row.resource_id,
    kind: row.kind ?? undefined,
    state: row.state,
  }))
  return { rows, next: isEnd ? undefined : next }
}

/** Walking backwards, all later rows are older still. */
async function isTooOld(db: Db, id: number, { since, after }: EventFilter): Promise<boolean> {
  if (since === undefined || after !== undefined) return false
  const last = await db.selectFrom('events').select('received_at').where('id', '=', id).executeTakeFirst()
  return last !== undefined && last.received_at < since
}

/** Resources of one kind, newest known first, by the index `resources_known`. */
function selectResourceKeys(db: Db, kind: ResourceKind, limit: number, after: ResourceCursor | undefined) {
  const keys = db
    .selectFrom('resources')
    .select(['number', 'id'])
    .where('kind', '=', kind)
    .orderBy('number', 'desc')
    .limit(limit)
  return after === undefined ? keys : keys.where('number', '<', numberOf(after.id))
}

/** Resources with such work, oldest known first, by the primary key. */
export function selectOpenIds(db: Db, state: WorkState, limit: number, after: ResourceCursor | undefined) {
  return db
    .selectFrom('work')
    .innerJoin('resources', 'number', 'resource')
    .select(['resource', 'id'])
    .distinct()
    .where(stateConditions[state])
    .where('resource', '>', after === undefined ? 0 : numberOf(after.id))
    .orderBy('resource')
    .limit(limit)
}

/** Ids that a page reads: more where some of them may not fit, else one more than its size, which shows whether the list continues. */
function sizeFor({ kind, state }: ResourceFilter, limit: number): number {
  const mayNotFit = state === 'due' || (state !== undefined && kind !== undefined)
  return mayNotFit ? maxRowsRead : limit + 1
}

/** Ids that a page reads, in list order. */
async function findIds(
  db: Db,
  filter: ResourceFilter,
  limit: number,
  after: ResourceCursor | undefined,
): Promise<string[]> {
  const { kind, state } = filter
  const size = sizeFor(filter, limit)
  if (state !== undefined && state !== 'due')
    return (await selectOpenIds(db, state, size, after).execute()).map(({ id }) => id)
  if (state === 'due') {
    const ids = db.selectFrom('resources').select('id').orderBy('number').limit(size)
    return (await ids.where('number', '>', after === undefined ? 0 : numberOf(after.id)).execute()).map(({ id }) => id)
  }
  const keys: { number: number; id: string }[] = []
  for (const each of kind === undefined ? resourceKinds : [kind])
    keys.push(...(await selectResourceKeys(db, each, size, after).execute()))
  return keys
    .toSorted((a, b) => b.number - a.number)
    .slice(0, size)
    .map(({ id }) => id)
}

/** Resources, newest known first; with a state, oldest known first. */
async function listResources(
  db: Db,
  filter: ResourceFilter,
  limit: number,
  after: ResourceCursor | undefined,
): Promise<Page<ResourceSummary, ResourceCursor>> {
  const lookedAt = await findIds(db, filter, limit, after)
  const found = await readSummaries(db, lookedAt)
  const fitting = found.filter(
    ({ kind, dueAt }) =>
      (filter.kind === undefined || kind === filter.kind) && (filter.state !== 'due' || dueAt !== undefined),
  )
  const rows = fitting.slice(0, limit)
  const isEnd = fitting.length <= limit && lookedAt.length < sizeFor(filter, limit)
  const last = isEnd ? undefined : fitting.length > limit ? rows.at(-1) : found.at(-1)
  return { rows: await countOpen(db, rows), next: last && { firstEventAt: last.firstEventAt, id: last.id } }
}

type Uncounted = Omit<ResourceSummary, WorkState> & { number: number }

/** Ordered as the ids. */
async function readSummaries(db: Db, ids: readonly string[]): Promise<Uncounted[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('resources')
    .leftJoin('events', 'events.id', 'resources.newest_event_id')
    .leftJoin('outcomes', 'outcomes.resource', 'number')
    .select([
      'number',
      'resources.id',
      'resources.kind',
      'first_event_at',
      'received_at',
      'status',
      'result',
      'terminal',
      'due_at',
      'claim_owner',
    ])
    .where('resources.id', 'in', ids)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row === undefined
      ? []
      : [
          {
            id,
            number: row.number,
            kind: row.kind,
            firstEventAt: row.first_event_at,
            lastEventAt: row.received_at ?? undefined,
            status: row.status ?? undefined,
            result: row.result ?? undefined,
            terminal: row.terminal === 1,
            dueAt: row.due_at ?? undefined,
            isClaimed: row.claim_owner !== null,
          },
        ]
  })
}

/** Adds how many of their handlers fail, wait or are parked. */
async function countOpen(db: Db, resources: readonly Uncounted[]): Promise<ResourceSummary[]> {
  if (resources.length === 0) return []
  const numbers = resources.map(({ number }) => number)
  const countOf = <State extends WorkState>(state: State) =>
    sql<number>`count(case when ${stateConditions[state]} then 1 end)`.as(state)
  const open = await db
    .selectFrom('work')
    .select(['resource', countOf('failing'), countOf('waiting'), countOf('parked')])
    .where('resource', 'in', numbers)
    .groupBy('resource')
    .execute()
  const countsOf = new Map(open.map(({ resource, ...counts }) => [resource, counts]))
  const none = { failing: 0, waiting: 0, parked: 0 }
  return resources.map(({ number, ...each }) => ({ ...each, ...(countsOf.get(number) ?? none) }))
}

/** Lists of events, resources and refused deliveries. */
export type ListViews = ReturnType<typeof createListViews>

export function createListViews({ db }: ViewCore) {
  return {
    /** Events, newest first; with `after`, oldest first. */
    listEvents: (filter: EventFilter, limit: number) => listEvents(db, filter, limit),
    /** Resources, newest known first; with a state, oldest known first. */
    listResources: (filter: ResourceFilter, limit: number, after?: ResourceCursor) =>
      listResources(db, filter, limit, after),
    /** Recorded refused deliveries, newest first: about 10,000 are kept, so a filter may read all of them. */
    async listRejections({ reason, since, before }: RejectionFilter, limit: number): Promise<RejectionRecord[]> {
      let query = db
        .selectFrom('rejections')
        .select(['id', 'reason', 'bytes', 'rejected_at as at'])
        .where('id', '<', before ?? newest)
        .orderBy('id', 'desc')
        .limit(limit)
      if (reason !== undefined) query = query.where('reason', '=', reason)
      if (since !== undefined) query = query.where('rejected_at', '>=', since)
      return query.execute()
    },
  }
}
