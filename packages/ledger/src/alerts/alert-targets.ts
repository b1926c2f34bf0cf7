import type { Kysely, Transaction } from 'kysely'
import type { AlertNews, AlertTargetRecord, AlertTurn, AlertTurnEnd, AlertTurnWanted } from './alert-records.ts'
import { listAlerts, readOpenAlerts, toRecord } from './note-alerts.ts'
import type { Tables } from '../tables.ts'
import type { ViewCore } from '../core.ts'

type Db = Kysely<Tables>

/** Max steps per message. */
const maxNews = 1_000
const hourMs = 3_600_000

/** State of these targets; one that never had a turn has nothing to report. */
async function readAlertTargets(db: Db, names: readonly string[], now: number): Promise<AlertTargetRecord[]> {
  const found: AlertTargetRecord[] = []
  for (const name of names) {
    const row = await db.selectFrom('alert_targets').selectAll().where('name', '=', name).executeTakeFirst()
    if (row === undefined) continue
    const sentAt = timesOf(row.sent_times).at(-1)
    const ago = (at: number | null | undefined) => (at === null || at === undefined ? undefined : Math.max(0, now - at))
    found.push({
      name,
      failures: row.failures,
      failingForMs: ago(row.failing_since),
      errorCode: row.error_code ?? undefined,
      sentAgoMs: ago(sentAt),
      waiting: await countNews(db, row.cursor),
    })
  }
  return found
}

/** Takes the turn to send to a target: one process at a time, and only after the wait that follows a failure. */
export async function takeAlertTurn(
  trx: Transaction<Tables>,
  name: string,
  { owner, leaseMs, maxWaitMs, maxPerHour }: AlertTurnWanted,
  now: number,
): Promise<AlertTurn | undefined> {
  const row = (await readTarget(trx, name)) ?? (await addTarget(trx, name))
  // A time further ahead than the longest wait stems from a clock that was set back since.
  const isFuture = (at: number | null, withinMs: number) => at !== null && at > now && at <= now + withinMs
  if (isFuture(row.claim_until, leaseMs) || isFuture(row.next_at, maxWaitMs)) return undefined
  const sentLastHour = sentWithinHour(row.sent_times, now).length
  if (sentLastHour >= maxPerHour) return undefined
  const news = await readNews(trx, row.cursor)
  if (news.length === 0) return undefined
  await trx
    .updateTable('alert_targets')
    .set({ claim_owner: owner, claim_until: now + leaseMs })
    .where('name', '=', name)
    .execute()
  return { owner, news, sentLastHour, failures: row.failures }
}

/** Ends a turn, unless its lease ended and another process has it. */
export async function endAlertTurn(
  trx: Transaction<Tables>,
  name: string,
  owner: string,
  end: AlertTurnEnd,
  now: number,
): Promise<void> {
  const row = await readTarget(trx, name)
  if (row === undefined || row.claim_owner !== owner) return
  const free = { claim_owner: null, claim_until: null }
  const none = { failures: 0, failing_since: null, error_code: null, next_at: null }
  await trx
    .updateTable('alert_targets')
    .set(
      'sentUpTo' in end
        ? {
            ...free,
            ...none,
            cursor: Math.max(row.cursor, end.sentUpTo),
            sent_times: JSON.stringify([...sentWithinHour(row.sent_times, now), now]),
          }
        : {
            ...free,
            failures: row.failures + 1,
            failing_since: row.failing_since ?? now,
            error_code: end.errorCode,
            next_at: Math.ceil(now + end.retryInMs),
          },
    )
    .where('name', '=', name)
    .execute()
}

function readTarget(db: Db, name: string) {
  return db.selectFrom('alert_targets').selectAll().where('name', '=', name).executeTakeFirst()
}

/** A new target gets the open alerts, and all later steps. */
async function addTarget(trx: Transaction<Tables>, name: string) {
  const isOpen = trx.selectFrom('alerts').select('id').where('closed_at', 'is', null)
  const first = await trx
    .selectFrom('alert_news')
    .select((eb) => eb.fn.min('id').as('id'))
    .where('alert_id', 'in', isOpen)
    .executeTakeFirst()
  const last = await trx
    .selectFrom('alert_news')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst()
  const cursor = first?.id ? first.id - 1 : (last?.id ?? 0)
  return trx
    .insertInto('alert_targets')
    .values({
      name,
      cursor,
      claim_owner: null,
      claim_until: null,
      failures: 0,
      failing_since: null,
      error_code: null,
      next_at: null,
      sent_times: '[]',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function readNews(db: Db, cursor: number): Promise<AlertNews[]> {
  const rows = await db
    .selectFrom('alert_news')
    .innerJoin('alerts', 'alerts.id', 'alert_news.alert_id')
    .selectAll('alerts')
    .select((eb) => [
      'alert_news.id as news_id',
      'alert_news.change',
      'alert_news.at',
      eb.ref('alert_news.level').as('news_level'),
      eb.ref('alert_news.count').as('news_count'),
    ])
    .where('alert_news.id', '>', cursor)
    .orderBy('alert_news.id')
    .limit(maxNews)
    .execute()
  return rows.map((row) => ({
    id: row.news_id,
    change: row.change,
    level: row.news_level,
    count: row.news_count,
    at: row.at,
    alert: toRecord(row),
  }))
}

async function countNews(db: Db, cursor: number): Promise<number> {
  const { count } = await db
    .selectFrom(db.selectFrom('alert_news').select('id').where('id', '>', cursor).limit(maxNews).as('news'))
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Times of sent messages, oldest first, as written by `endAlertTurn`. */
function timesOf(text: string): number[] {
  return JSON.parse(text) as number[]
}

function sentWithinHour(text: string, now: number): number[] {
  return timesOf(text).filter((at) => at > now - hourMs && at <= now)
}

/** Reads of alerts and their targets. */
export type AlertViews = ReturnType<typeof createAlertViews>

export function createAlertViews({ db, now }: ViewCore) {
  return {
    /** Open alerts, oldest first. */
    openAlerts: () => readOpenAlerts(db),
    /** All alerts, open or closed, newest first. */
    listAlerts: (limit: number, before?: number) => listAlerts(db, limit, before),
    /** State of these alert targets; one that never had a turn is left out. */
    alertTargets: async (names: readonly string[]) => readAlertTargets(db, names, await now()),
  }
}
