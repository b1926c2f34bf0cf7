import type { Kysely, Selectable, Transaction } from 'kysely'
import { groupBy } from '../hot/group-by.ts'
import type { AlertRecord, FoundAlert } from './alert-records.ts'
import type { Tables } from '../tables.ts'

/** Lock key that serialises writers of alerts. */
export const alertsLock = 'alerts'

/** Max open alerts: groups of failed work are bounded, and other alerts are few. */
const maxOpen = 500
/** How long closed alerts are kept, in milliseconds. */
const keepMs = 90 * 86_400_000

/** Open alerts, oldest first. */
export async function readOpenAlerts(db: Kysely<Tables>): Promise<AlertRecord[]> {
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('closed_at', 'is', null)
    // In the order of the partial index of open alerts: closed ones are far more numerous.
    .orderBy('kind')
    .orderBy('subject')
    .limit(maxOpen)
    .execute()
  return rows.map(toRecord).toSorted((one, other) => one.id - other.id)
}

/** All alerts, newest first. */
export async function listAlerts(db: Kysely<Tables>, limit: number, before?: number): Promise<AlertRecord[]> {
  let query = db.selectFrom('alerts').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where('id', '<', before)
  return (await query.execute()).map(toRecord)
}

/** Opens and renews found alerts, and closes gone ones not seen since. Only the first process to report a step changes anything. */
export async function noteAlerts(
  trx: Transaction<Tables>,
  { found, gone }: { found: readonly FoundAlert[]; gone: readonly Pick<AlertRecord, 'id' | 'seen'>[] },
  now: number,
): Promise<void> {
  const open = new Map((await readOpenAlerts(trx)).map((alert) => [`${alert.kind} ${alert.subject}`, alert]))
  const stillTrue: { id: number; seenAt: number }[] = []
  let count = open.size
  for (const each of found) {
    const known = open.get(`${each.kind} ${each.subject}`)
    const seenAt = seenAtOf(each, now)
    if (known !== undefined && each.isOver === true) await closeAlert(trx, known, seenAt)
    else if (each.noticeEveryMs !== undefined) await addNotice(trx, each, each.noticeEveryMs, now)
    else if (known !== undefined) {
      stillTrue.push({ id: known.id, seenAt })
      await follow(trx, known, each, now)
    } else if (each.opens && count < maxOpen) {
      count += 1
      await addAlert(trx, each, now)
    }
  }
  for (const [seenAt, alike] of groupBy(stillTrue, (each) => each.seenAt))
    await trx
      .updateTable('alerts')
      .set((eb) => ({ seen: eb('seen', '+', 1), seen_at: seenAt }))
      .where(
        'id',
        'in',
        alike.map(({ id }) => id),
      )
      .execute()
  for (const each of gone) await closeAlert(trx, each)
  if (gone.length > 0)
    await trx
      .deleteFrom('alerts')
      .where('closed_at', '<', now - keepMs)
      .execute()
}

/** When a problem was last evident. */
function seenAtOf({ lastAgoMs = 0 }: FoundAlert, now: number): number {
  return Math.round(now - lastAgoMs)
}

/** When a problem began, by what the finding knows of it. */
function beganAtOf({ beganAt = Infinity, forMs = 0 }: FoundAlert, now: number): number {
  return Math.min(beganAt, Math.round(now - forMs))
}

/** Records an alert that opens, or a notice, which is over at once. */
async function addAlert(trx: Transaction<Tables>, found: FoundAlert, now: number, closedAt?: number): Promise<void> {
  const { kind, subject, level, count, resourceId = null, errorCode = null, httpStatus = null } = found
  const moments = { opened_at: now, changed_at: now, closed_at: closedAt ?? null, seen_at: seenAtOf(found, now) }
  const times = { began_at: beganAtOf(found, now), ...moments }
  const row = { kind, subject, level, count, resource_id: resourceId, error_code: errorCode, http_status: httpStatus }
  await trx
    .insertInto('alerts')
    .values({ ...row, ...times, most: count, seen: 0, step: 1, ...toldNone })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Records an alert that is over, unless one of its kind was open within `everyMs`. */
async function addNotice(trx: Transaction<Tables>, notice: FoundAlert, everyMs: number, now: number): Promise<void> {
  const last = await trx
    .selectFrom('alerts')
    .select('id')
    .where('kind', '=', notice.kind)
    .where((eb) => eb.or([eb('closed_at', 'is', null), eb('closed_at', '>', now - everyMs)]))
    // A later one stems from a clock that was set back since.
    .where('opened_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) await addAlert(trx, notice, now, seenAtOf(notice, now))
}

async function follow(trx: Transaction<Tables>, known: AlertRecord, found: FoundAlert, now: number): Promise<void> {
  const { level, count, resourceId = null, errorCode = null, httpStatus = null } = found
  // Below its level, as after a retry, `count` does not show the extent.
  if (level < known.level) return
  const isHigher = level > known.level
  const isGrown = isHigher || (found.tellsGrowth === true && growthOf(count) > growthOf(known.most))
  const began_at = isHigher || found.beganAt !== undefined ? beganAtOf(found, now) : known.beganAt
  const isSame = !isHigher && count === known.count && httpStatus === (known.httpStatus ?? null)
  if (isSame && began_at === known.beganAt && errorCode === (known.errorCode ?? null)) return
  const most = isHigher ? count : Math.max(known.most, count)
  const row = { level, count, most, began_at, resource_id: resourceId, error_code: errorCode, http_status: httpStatus }
  await trx
    .updateTable('alerts')
    .set((eb) => ({ ...row, ...(isGrown && { changed_at: now, step: eb('step', '+', 1) }), ...(isHigher && toldNone) }))
    .where('id', '=', known.id)
    .execute()
}

/** Each target is told as of a new alert. */
const toldNone = { told_url: 0, told_email: 0 }

/** Number of reporting thresholds reached. */
function growthOf(count: number): number {
  return [10, 100, 1_000].filter((step) => count >= step).length
}

/** Ends an alert at the moment at which it was last evident. */
async function closeAlert(
  trx: Transaction<Tables>,
  { id, seen }: Pick<AlertRecord, 'id' | 'seen'>,
  at?: number,
): Promise<void> {
  await trx
    .updateTable('alerts')
    .set((eb) => ({ closed_at: at ?? eb.fn.coalesce('seen_at', 'changed_at'), step: eb('step', '+', 1) }))
    .where('id', '=', id)
    .where('seen', '=', seen)
    .where('closed_at', 'is', null)
    .execute()
}

/** Reads an alert from its row. */
export function toRecord(row: Selectable<Tables['alerts']>): AlertRecord {
  const { id, kind, subject, level, count, most, seen } = row
  const error = { errorCode: row.error_code ?? undefined, httpStatus: row.http_status ?? undefined }
  const moments = {
    beganAt: row.began_at,
    openedAt: row.opened_at,
    changedAt: row.changed_at,
    closedAt: row.closed_at ?? undefined,
  }
  return { id, kind, subject, level, count, most, resourceId: row.resource_id ?? undefined, ...error, ...moments, seen }
}
