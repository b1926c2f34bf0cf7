import type { Kysely, Selectable, Transaction } from 'kysely'
import type { AlertNews, AlertRecord, FoundAlert } from './alert-records.ts'
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

/** Opens, escalates and renews found alerts, and closes gone ones not seen since. Only the first process to report a step changes anything. */
export async function noteAlerts(
  trx: Transaction<Tables>,
  { found, gone }: { found: readonly FoundAlert[]; gone: readonly Pick<AlertRecord, 'id' | 'seen'>[] },
  now: number,
): Promise<void> {
  const open = new Map((await readOpenAlerts(trx)).map((alert) => [`${alert.kind} ${alert.subject}`, alert]))
  const stillTrue: number[] = []
  let count = open.size
  for (const each of found) {
    if (each.noticeEveryMs !== undefined) {
      await addNotice(trx, each, each.noticeEveryMs, now)
      continue
    }
    const known = open.get(`${each.kind} ${each.subject}`)
    if (known !== undefined) {
      stillTrue.push(known.id)
      await follow(trx, known, each, now)
    } else if (each.opens && count < maxOpen) {
      count += 1
      await addAlert(trx, each, now, 'opened')
    }
  }
  if (stillTrue.length > 0)
    await trx
      .updateTable('alerts')
      .set((eb) => ({ seen: eb('seen', '+', 1) }))
      .where('id', 'in', stillTrue)
      .execute()
  for (const each of gone) await closeAlert(trx, each, now)
  if (gone.length > 0) await forgetOld(trx, now - keepMs)
}

/** Records an alert that opens, or a notice, which is over at once. */
async function addAlert(
  trx: Transaction<Tables>,
  found: FoundAlert,
  now: number,
  change: 'opened' | 'notice',
): Promise<void> {
  const { kind, subject, level, count, resourceId = null, detail = null, forMs = 0 } = found
  const closedAt = change === 'notice' ? now : null
  const times = { began_at: Math.round(now - forMs), opened_at: now, changed_at: now, closed_at: closedAt }
  const row = { kind, subject, level, count, resource_id: resourceId, detail, ...times }
  const opened = await trx
    .insertInto('alerts')
    .values({ ...row, seen: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (opened !== undefined) await addNews(trx, opened.id, change, { level, count, now })
}

/** Records a notice as an alert that is over, unless one of its kind was within `everyMs`. */
async function addNotice(trx: Transaction<Tables>, notice: FoundAlert, everyMs: number, now: number): Promise<void> {
  const last = await trx
    .selectFrom('alerts')
    .select('id')
    .where('kind', '=', notice.kind)
    .where('opened_at', '>', now - everyMs)
    // A later one stems from a clock that was set back since.
    .where('opened_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) await addAlert(trx, notice, now, 'notice')
}

async function follow(trx: Transaction<Tables>, known: AlertRecord, found: FoundAlert, now: number): Promise<void> {
  const { level, count, resourceId = null, detail = null } = found
  // Below its level, as after a retry, `count` does not show the extent.
  if (level < known.level) return
  if (level === known.level && count === known.count && detail === (known.detail ?? null)) return
  const isGrown = found.tellsGrowth === true && growthOf(count) > growthOf(await readMaxReported(trx, known.id))
  const isEscalated = level > known.level || isGrown
  await trx
    .updateTable('alerts')
    .set({ level, count, resource_id: resourceId, detail, ...(isEscalated && { changed_at: now }) })
    .where('id', '=', known.id)
    .execute()
  if (isEscalated) await addNews(trx, known.id, 'escalated', { level, count, now })
}

/** Number of reporting thresholds reached. */
function growthOf(count: number): number {
  return [10, 100, 1_000].filter((step) => count >= step).length
}

/** The highest count reported so far. */
async function readMaxReported(trx: Transaction<Tables>, alertId: number): Promise<number> {
  const row = await trx
    .selectFrom('alert_news')
    .select((eb) => eb.fn.max('count').as('count'))
    .where('alert_id', '=', alertId)
    .executeTakeFirst()
  return row?.count ?? 0
}

async function closeAlert(
  trx: Transaction<Tables>,
  { id, seen }: Pick<AlertRecord, 'id' | 'seen'>,
  now: number,
): Promise<void> {
  const closed = await trx
    .updateTable('alerts')
    .set({ closed_at: now })
    .where('id', '=', id)
    .where('seen', '=', seen)
    .where('closed_at', 'is', null)
    .returning(['level', 'count'])
    .executeTakeFirst()
  if (closed !== undefined) await addNews(trx, id, 'recovered', { ...closed, now })
}

async function addNews(
  trx: Transaction<Tables>,
  alertId: number,
  change: AlertNews['change'],
  { level, count, now }: { level: number; count: number; now: number },
): Promise<void> {
  await trx.insertInto('alert_news').values({ alert_id: alertId, change, level, count, at: now }).execute()
}

async function forgetOld(trx: Transaction<Tables>, before: number): Promise<void> {
  const old = trx.selectFrom('alerts').select('id').where('closed_at', '<', before)
  await trx.deleteFrom('alert_news').where('alert_id', 'in', old).execute()
  await trx.deleteFrom('alerts').where('closed_at', '<', before).execute()
}

/** Reads an alert from its row. */
export function toRecord(row: Selectable<Tables['alerts']>): AlertRecord {
  const { id, kind, subject, level, count, seen } = row
  const detail = row.detail ?? undefined
  const beganAt = row.began_at ?? row.opened_at
  const moments = { beganAt, openedAt: row.opened_at, changedAt: row.changed_at, closedAt: row.closed_at ?? undefined }
  return { id, kind, subject, level, count, resourceId: row.resource_id ?? undefined, detail, ...moments, seen }
}
