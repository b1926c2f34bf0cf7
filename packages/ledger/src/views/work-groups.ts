import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { fits } from '../hot/work-conditions.ts'
import { maxFailuresCounted, type WorkGroup } from './work-group.ts'
import { errorsBeforeHandlers } from '../hot/waiting-errors.ts'
import { hasKey, stateOf, type WorkFilter, type WorkKey } from '../hot/work-filter.ts'

type Db = Kysely<Tables>

/** Error codes are normally few; the cap bounds the page if a handler keeps throwing new ones. */
const maxGroups = 200

const storedState = ({ state }: Pick<WorkKey, 'state'>) => (state === 'parked' ? 'parked' : 'due')

/** Walks the groups of failed work that match a filter, parked first, from `from` on. Each step seeks the first row of the next group in the index. */
export async function* walkKeys(db: Db, filter: WorkFilter, from?: WorkKey): AsyncGenerator<WorkKey> {
  const { state, handler, system, errorCode } = filter
  if (state !== undefined && handler !== undefined && system !== undefined && errorCode !== undefined) {
    const key = { state, handler, system, errorCode }
    if (hasKey(filter, key)) yield key
    return
  }
  if (from !== undefined && hasKey(filter, from)) yield from
  for (const each of ['parked', 'due'] as const) {
    if (state !== undefined && storedState({ state }) !== each) continue
    let after = from !== undefined && storedState(from) === each ? from : undefined
    if (from !== undefined && each === 'parked' && after === undefined) continue
    for (;;) {
      const row = await selectNextKey(db, each, { handler, after }).executeTakeFirst()
      if (row?.error_code == null) break
      after = {
        state: stateOf(each, row.error_code),
        handler: row.handler,
        system: row.error_system,
        errorCode: row.error_code,
      }
      if (hasKey(filter, after)) yield after
    }
  }
}

/** The next group in that state, of one handler if given. */
export function selectNextKey(
  db: Db,
  state: 'parked' | 'due',
  { handler, after }: { handler?: string | undefined; after?: WorkKey | undefined },
) {
  let query = db
    .selectFrom('work')
    .select(['handler', 'error_system', 'error_code'])
    .where('error_code', 'is not', null)
    .where('state', '=', state)
    .orderBy('handler')
    .orderBy('error_system')
    .orderBy('error_code')
    .limit(1)
  if (handler !== undefined) query = query.where('handler', '=', handler)
  if (after === undefined) return query
  // A column fixed by `where` must stay out of the comparison: otherwise SQLite scans all rows before it.
  return handler === undefined
    ? query.where(
        sql<boolean>`(handler, error_system, error_code) > (${after.handler}, ${after.system}, ${after.errorCode})`,
      )
    : query.where(sql<boolean>`(error_system, error_code) > (${after.system}, ${after.errorCode})`)
}

/** The work of one group, by the index `work_failures`. */
export function selectGroup(db: Db, { state, handler, system, errorCode }: WorkKey, filter: WorkFilter) {
  const { failedUpTo, retriableAt } = filter
  return db
    .selectFrom('work')
    .where('work.state', '=', storedState({ state }))
    .where('work.handler', '=', handler)
    .where('work.error_system', '=', system)
    .where('work.error_code', '=', errorCode)
    .where(fits({ failedUpTo, retriableAt }))
}

/** The groups of failed work that match a filter; max 200. */
export async function readWorkGroups(db: Db, filter: WorkFilter, tries?: readonly number[]): Promise<WorkGroup[]> {
  const groups: WorkGroup[] = []
  for await (const key of walkKeys(db, filter)) {
    const group = await readGroup(db, key, filter)
    if (group === undefined) continue
    const cases = groups.some((each) => sharesCause(each, key)) ? await countNewCases(db, key, filter) : group.count
    groups.push({ ...group, cases, ...(tries !== undefined && (await readTries(db, key, tries))) })
    if (groups.length === maxGroups) break
  }
  return groups
}

/** Whether work of different handlers failed for one cause. */
function sharesCause(one: WorkKey, other: WorkKey): boolean {
  const isOfHandler = one.system === '' && !errorsBeforeHandlers.some((code) => code === one.errorCode)
  return !isOfHandler && one.state === other.state && one.system === other.system && one.errorCode === other.errorCode
}

/** Resources of a group that failed for the same cause with no handler before it. */
function countNewCases(db: Db, key: WorkKey, filter: WorkFilter): Promise<number> {
  const isNew = sql<boolean>`not exists (select 1 from work as before
    where before.resource = work.resource and before.handler < work.handler and before.state = work.state
    and before.error_system = work.error_system and before.error_code = work.error_code)`
  return countUpTo(db, selectGroup(db, key, filter).where(isNew).select('failure_id'))
}

async function readGroup(db: Db, key: WorkKey, filter: WorkFilter): Promise<Omit<WorkGroup, 'cases'> | undefined> {
  const group = selectGroup(db, key, filter)
  const newest = await group
    .select(['failure_id', 'work.error_message', 'work.error_status', 'failed_at'])
    .orderBy('failure_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined) return undefined
  const { count, since } = await db
    .selectFrom(group.select('failing_since').orderBy('failure_id').limit(maxFailuresCounted).as('oldest'))
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('failing_since').as('since')])
    .executeTakeFirstOrThrow()
  return {
    ...key,
    count: Number(count),
    newest: newest.failure_id,
    newestAt: newest.failed_at,
    oldestAt: since ?? undefined,
    message: newest.error_message ?? '',
    httpStatus: newest.error_status ?? undefined,
  }
}

/** The piece tried most often, by the index `work_tries`. */
async function readTries(db: Db, key: WorkKey, steps: readonly number[]): Promise<Pick<WorkGroup, 'mostTried'>> {
  if (key.state === 'parked') return {}
  const tried = db
    .selectFrom('work')
    // SQLite uses a partial index only if the query repeats its condition.
    .where('state', '=', sql.lit('due'))
    .where('handler', '=', key.handler)
    .where('error_system', '=', key.system)
    .where('error_code', '=', key.errorCode)
  const most = await tried
    .innerJoin('resources', 'number', 'resource')
    .select(['attempts', 'id'])
    .orderBy('attempts', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (most === undefined) return {}
  const { attempts, id: resourceId } = most
  const step = Math.max(0, ...steps.filter((each) => attempts >= each))
  const reached = step === 0 ? 0 : await countUpTo(db, tried.select('attempts').where('attempts', '>=', step))
  return { mostTried: { resourceId, attempts, reached } }
}

/** Counts up to `maxFailuresCounted` rows. */
export async function countUpTo<Row>(db: Db, rows: SelectQueryBuilder<Tables, 'work', Row>): Promise<number> {
  const { count } = await db
    .selectFrom(rows.limit(maxFailuresCounted).as('rows'))
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The number of resources with work that waits for a system. */
export interface WaitingCases {
  system: string
  count: number
}

/** Cap of the pieces of work read. */
const maxPieces = 20_000

/** The resources that wait for each system, each counted once however many handlers wait. */
export async function readWaitingCases(db: Db): Promise<WaitingCases[]> {
  const { rows } = await sql<{ system: string; count: number }>`
    select error_system as system, count(distinct resource) as count
    from (select error_system, resource from work where waits_since is not null limit ${maxPieces}) as waiting
    where error_system <> '' group by error_system`.execute(db)
  return rows
}
