import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { fits } from '../hot/work-conditions.ts'
import { stateOf, type PieceOfWork, type WorkFilter, type WorkKey } from '../hot/work-filter.ts'
import { countUpTo, readWaitingCases, readWorkGroups, selectGroup, walkKeys } from './work-groups.ts'
import { numberOf } from '../resource-number.ts'
import type { Page } from './rows.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { ViewCore } from '../core.ts'

/** One piece of failed work. */
export interface Work extends PieceOfWork, WorkKey {
  kind: ResourceKind
  attempts: number
  errorMessage: string
  failureId: number
  failedAt: number
  /** When it is retried; absent for parked work, unless that is retried anyway. */
  dueAt: number | undefined
  /** Milliseconds until the retry; zero or negative when it is due; absent for parked work. */
  dueInMs: number | undefined
  /** A worker holds a claim on its resource. */
  isClaimed: boolean
}

/** Cursor: the last piece of work read. */
export type WorkCursor = WorkKey & Pick<Work, 'failureId' | 'resourceId'>

/** A handler's failing work that has been stuck the longest. */
export interface LongestFailing extends PieceOfWork {
  /** Milliseconds since the first failure after its last success. */
  forMs: number
  attempts: number
  errorCode: string
  errorMessage: string
}

/** A resource due now or later, with its failed handlers. */
export interface DueWork extends Pick<Work, 'resourceId' | 'kind' | 'isClaimed'> {
  dueInMs: number
  failed: Pick<Work, 'handler' | 'attempts' | 'errorCode' | 'errorMessage'> | undefined
}

type Db = Kysely<Tables>

/** One page of the failed work that matches a filter: by group, each group's oldest failure first. */
export async function readWork(
  db: Db,
  filter: WorkFilter,
  { limit, after, now }: { limit: number; after?: WorkCursor | undefined; now: number },
): Promise<Page<Work, WorkCursor>> {
  const found: Work[] = []
  if (filter.resourceId === undefined)
    for await (const key of walkKeys(db, filter, after)) {
      const room = limit + 1 - found.length
      const isContinued = after !== undefined && isSameKey(key, after)
      found.push(...(await readPieces(selectGroupPage(db, key, filter, room, isContinued ? after : undefined), now)))
      if (found.length > limit) break
    }
  // A resource has only one piece per handler.
  else if (after === undefined) found.push(...(await readPieces(selectOfResource(db, filter), now)))
  const isAll = found.length <= limit || filter.resourceId !== undefined
  return { rows: isAll ? found : found.slice(0, limit), next: isAll ? undefined : found[limit - 1] }
}

/** Counts the failed work that matches a filter, up to `maxFailuresCounted` of each group. */
export async function countWork(db: Db, filter: WorkFilter): Promise<number> {
  if (filter.resourceId !== undefined) return countUpTo(db, selectOfResource(db, filter).select('failure_id'))
  let count = 0
  for await (const key of walkKeys(db, filter))
    count += await countUpTo(db, selectGroup(db, key, filter).select('failure_id'))
  return count
}

const isSameKey = (one: WorkKey, other: WorkKey) =>
  (['state', 'handler', 'system', 'errorCode'] as const).every((name) => one[name] === other[name])

/** The next pieces of one group, in the order of the index `work_failures`. */
export function selectGroupPage(
  db: Db,
  key: WorkKey,
  filter: WorkFilter,
  limit: number,
  after: Pick<WorkCursor, 'failureId' | 'resourceId'> | undefined,
) {
  const page = selectGroup(db, key, filter).orderBy('failure_id').orderBy('work.resource').limit(limit)
  return after === undefined
    ? page
    : page.where(sql<boolean>`(failure_id, work.resource) > (${after.failureId}, ${numberOf(after.resourceId)})`)
}

function selectOfResource(db: Db, filter: WorkFilter) {
  return db.selectFrom('work').where('work.error_code', 'is not', null).where(fits(filter)).orderBy('work.handler')
}

async function readPieces(pieces: ReturnType<typeof selectGroupPage>, now: number): Promise<Work[]> {
  const rows = await pieces
    .innerJoin('resources', 'resources.number', 'work.resource')
    .select([
      'resources.id as resource_id',
      'kind',
      'work.handler',
      'state',
      'error_system',
      'work.error_code',
      'work.error_message',
      'work.attempts',
      'failure_id',
      'failed_at',
      'work.due_at',
      'resources.due_at as resource_due_at',
      'claim_until',
    ])
    .execute()
  return rows.map((row) => ({
    resourceId: row.resource_id,
    kind: row.kind,
    handler: row.handler,
    state: stateOf(row.state === 'parked' ? row.state : 'due', row.error_code),
    system: row.error_system,
    errorCode: row.error_code ?? 'unexpected',
    errorMessage: row.error_message ?? '',
    attempts: row.attempts,
    failureId: row.failure_id,
    failedAt: row.failed_at,
    dueAt: row.due_at ?? undefined,
    dueInMs: row.state === 'parked' ? undefined : Math.max(row.due_at ?? 0, row.resource_due_at ?? 0) - now,
    isClaimed: row.claim_until !== null && row.claim_until > now,
  }))
}

/** Up to `limit` resources due now or later, earliest first, each with its failed handlers. Most have no failure, so no filter of failed work finds them. */
async function readDueWork(db: Db, resourceId: string | undefined, limit: number, now: number): Promise<DueWork[]> {
  const rows = await selectDueWork(db, resourceId, limit).execute()
  return rows.map((row) => ({
    resourceId: row.resource_id,
    kind: row.kind,
    dueInMs: Math.max(row.handler_due_at ?? 0, row.due_at ?? 0) - now,
    isClaimed: row.claim_until !== null && row.claim_until > now,
    failed:
      row.handler === null
        ? undefined
        : {
            handler: row.handler,
            attempts: row.attempts ?? 0,
            errorCode: row.error_code ?? 'unexpected',
            errorMessage: row.error_message ?? '',
          },
  }))
}

/** The query of `readDueWork`, served by an index. */
export function selectDueWork(db: Db, resourceId: string | undefined, limit: number) {
  return db
    .selectFrom((eb) => {
      const due = eb
        .selectFrom('resources')
        .select(['number', 'id', 'kind', 'due_at', 'claim_until'])
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(limit)
      return (resourceId === undefined ? due : due.where('id', '=', resourceId)).as('due')
    })
    .leftJoin('work', (join) => join.onRef('work.resource', '=', 'due.number').on('work.state', '=', sql.lit('due')))
    .select(['due.id as resource_id', 'due.kind', 'due.due_at', 'due.claim_until'])
    .select(['handler', 'attempts', 'error_code', 'error_message', 'work.due_at as handler_due_at'])
    .orderBy('due.due_at')
    .orderBy('due.number')
}

/** Per handler the failing work that has been stuck the longest, and since when it fails; handlers without failing work are left out. */
async function readLongestFailing(db: Db, handlerNames: readonly string[], now: number): Promise<LongestFailing[]> {
  const found: LongestFailing[] = []
  for (const handler of handlerNames) {
    const row = await selectLongestFailing(db, handler).executeTakeFirst()
    if (row === undefined) continue
    const { id: resourceId, attempts, error_code: errorCode, error_message: errorMessage, failing_since: since } = row
    found.push({
      handler,
      resourceId,
      forMs: Math.max(0, now - since),
      attempts,
      errorCode: errorCode ?? 'unexpected',
      errorMessage: errorMessage ?? '',
    })
  }
  return found
}

/** The query of `readLongestFailing`, served by the index `work_failed`. */
export function selectLongestFailing(db: Db, handler: string) {
  return db
    .selectFrom('work')
    .innerJoin('resources', 'number', 'resource')
    .select(['id', 'attempts', 'error_code', 'error_message', 'failing_since'])
    .where(fits({ state: 'failing', handler }))
    .orderBy('tried_event_id')
    .limit(1)
}

/** Reads of failed and due work. */
export type WorkViews = ReturnType<typeof createWorkViews>

export function createWorkViews({ db, now }: ViewCore) {
  return {
    /** Groups of failed work that match a filter, parked first, max 200; with `tries`, numbers of attempts, each with the piece tried most often. */
    workGroups: (filter: WorkFilter = {}, tries?: readonly number[]) => readWorkGroups(db, filter, tries),
    /** Failed work that matches a filter: by group, parked first, each group's oldest failure first; for one resource by handler, all at once. */
    work: async (filter: WorkFilter, limit: number, after?: WorkCursor) =>
      readWork(db, filter, { limit, after, now: await now() }),
    /** Work due now or later, by due time, of one resource or of up to `limit` resources. */
    dueWork: async (resourceId: string | undefined, limit: number) => readDueWork(db, resourceId, limit, await now()),
    /** Per handler the failing work that has been stuck the longest; handlers without failing work are left out. */
    longestFailing: async (handlerNames: readonly string[]) => readLongestFailing(db, handlerNames, await now()),
    /** The resources with work that waits for each system. */
    waitingCases: () => readWaitingCases(db),
  }
}
