import { type Kysely, sql } from 'kysely'
import type { Waiting, WorkFilter } from './ledger.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** Work that is due now or later, what comes first before the others: at the most `limit` resources, and of each the handlers that failed. With a handler or an error, the failed work that fits, the longest untouched first. */
export async function readWaiting(db: Db, filter: WorkFilter, limit: number, now: number): Promise<Waiting[]> {
  const rows = await selectWaiting(db, filter, limit).execute()
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

/** The query of `readWaiting`: found by an index, whatever else there is. */
export function selectWaiting(db: Db, filter: WorkFilter, limit: number) {
  return filter.handler === undefined && filter.errorCode === undefined && filter.system === undefined
    ? selectDue(db, filter, limit)
    : selectFailed(db, filter, limit)
}

function selectDue(db: Db, { resourceId }: WorkFilter, limit: number) {
  return db
    .selectFrom((eb) => {
      const due = eb
        .selectFrom('resources')
        .select(['id', 'kind', 'due_at', 'claim_until'])
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(limit)
      return (resourceId === undefined ? due : due.where('id', '=', resourceId)).as('due')
    })
    .leftJoin('progress', (join) =>
      join.onRef('progress.resource_id', '=', 'due.id').on('progress.state', '=', sql.lit('due')),
    )
    .select(['due.id as resource_id', 'due.kind', 'due.due_at', 'due.claim_until'])
    .select(['handler', 'attempts', 'error_code', 'error_message', 'progress.due_at as handler_due_at'])
    .orderBy('due.due_at')
    .orderBy('due.id')
}

function selectFailed(db: Db, { resourceId, handler, errorCode, system }: WorkFilter, limit: number) {
  let failed = db
    .selectFrom('progress')
    .select(['resource_id', 'handler', 'attempts', 'error_code', 'error_message', 'due_at', 'tried_event_id'])
    .where('state', '=', sql.lit('due'))
    // SQLite takes a partial index only where it reads its very condition.
    .where('state', '<>', sql.lit('synced'))
    .orderBy('tried_event_id')
    .limit(limit)
  if (handler !== undefined) failed = failed.where('handler', '=', handler)
  if (errorCode !== undefined) failed = failed.where('error_code', '=', errorCode)
  if (system !== undefined) failed = failed.where('error_system', '=', system)
  if (resourceId !== undefined) failed = failed.where('resource_id', '=', resourceId)
  return (
    db
      .selectFrom(failed.as('failed'))
      .innerJoin('resources as due', 'due.id', 'failed.resource_id')
      .select(['failed.resource_id', 'due.kind', 'due.due_at', 'due.claim_until'])
      // As where the handler may be absent.
      .select((eb) => eb.ref('failed.handler').$castTo<string | null>().as('handler'))
      .select((eb) => eb.ref('failed.attempts').$castTo<number | null>().as('attempts'))
      .select(['error_code', 'error_message', 'failed.due_at as handler_due_at'])
      .orderBy('tried_event_id')
  )
}

/** Error codes of parked and failed work, in order, `limit` at the most: one look into the index for each. */
export async function readOpenErrors(db: Db, limit: number): Promise<string[]> {
  const codes: string[] = []
  while (codes.length < limit) {
    const next = await selectNextError(db, codes.at(-1) ?? '').executeTakeFirst()
    if (next?.code == null) break
    codes.push(next.code)
  }
  return codes
}

/** The first error code after this one. */
export function selectNextError(db: Db, after: string) {
  return db
    .selectFrom('progress')
    .select((eb) => eb.fn.min('error_code').as('code'))
    .where('state', '<>', sql.lit('synced'))
    .where('error_code', '>', after)
}
