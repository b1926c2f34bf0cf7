import { type Kysely, sql, type Transaction } from 'kysely'
import type {
  AlertTargetName,
  AlertTargetRecord,
  AlertTurn,
  AlertTurnEnd,
  AlertTurnWanted,
  UntoldAlert,
} from './alert-records.ts'
import { listAlerts, readOpenAlerts, toRecord } from './note-alerts.ts'
import type { Tables } from '../tables.ts'
import type { ViewCore } from '../core.ts'

type Db = Kysely<Tables>

/** Max alerts of one message. */
const maxUntold = 500

const toldBy = { url: 'told_url', email: 'told_email' } as const satisfies Record<AlertTargetName, string>

/** State of these targets. */
async function readAlertTargets(db: Db, names: readonly AlertTargetName[], now: number): Promise<AlertTargetRecord[]> {
  const found: AlertTargetRecord[] = []
  for (const name of names) {
    const row = await readTarget(db, name)
    const ago = (at: number | null | undefined) => (at == null ? undefined : Math.max(0, now - at))
    found.push({
      name,
      failures: row?.failures ?? 0,
      failingForMs: ago(row?.failing_since),
      errorCode: row?.error_code ?? undefined,
      sentAgoMs: ago(row?.sent_at),
      waiting: await countUntold(db, name),
    })
  }
  return found
}

/** Takes the turn to send to a target: one process at a time, and only after the rest that follows a message or a failure. */
export async function takeAlertTurn(
  trx: Transaction<Tables>,
  name: AlertTargetName,
  { owner, leaseMs, maxRestMs, restMs }: AlertTurnWanted,
  now: number,
): Promise<AlertTurn | undefined> {
  const row = await readTarget(trx, name)
  if (row === undefined) return undefined
  // A time further ahead than the longest rest stems from a clock that was set back since.
  const isLeftAlone = row.next_at > now && row.next_at <= now + maxRestMs
  if (isLeftAlone && (row.claim_owner !== null || row.failures > 0)) return undefined
  const alerts = await readUntold(trx, name)
  if (alerts.length === 0) return undefined
  const opened = alerts.filter(({ told, closedAt }) => told === 0 && closedAt === undefined)
  if (isLeftAlone && !(await hasNews(trx, opened, now - restMs))) return undefined
  const lease = { claim_owner: owner, next_at: now + leaseMs }
  await trx.updateTable('alert_targets').set(lease).where('name', '=', name).execute()
  return { alerts, failures: row.failures }
}

/** Alerts that open or grow within a rest; more are a flood. */
const maxChanged = 10

/** Whether one of these alerts was not open before, since then; never within a flood. */
async function hasNews(db: Db, opened: readonly UntoldAlert[], since: number): Promise<boolean> {
  if (opened.length === 0) return false
  const changed = db.selectFrom('alerts').select('id').where('changed_at', '>', since)
  if ((await changed.limit(maxChanged + 1).execute()).length > maxChanged) return false
  const over = await db.selectFrom('alerts').select(['kind', 'subject']).where('closed_at', '>', since).execute()
  return opened.some(({ kind, subject }) => !over.some((each) => each.kind === kind && each.subject === subject))
}

/** Ends a turn, unless its lease ended and another process has it. */
export async function endAlertTurn(
  trx: Transaction<Tables>,
  name: AlertTargetName,
  owner: string,
  end: AlertTurnEnd,
  now: number,
): Promise<void> {
  const row = await readTarget(trx, name)
  if (row === undefined || row.claim_owner !== owner) return
  const result =
    'told' in end
      ? { failures: 0, failing_since: null, error_code: null, sent_at: now }
      : { failures: row.failures + 1, failing_since: row.failing_since ?? now, error_code: end.errorCode }
  await trx
    .updateTable('alert_targets')
    .set({ ...result, claim_owner: null, next_at: Math.ceil(now + end.restMs) })
    .where('name', '=', name)
    .execute()
  for (const { id, step } of 'told' in end ? end.told : [])
    await trx
      .updateTable('alerts')
      .set({ [toldBy[name]]: step })
      .where('id', '=', id)
      .execute()
}

function readTarget(db: Db, name: AlertTargetName) {
  return db.selectFrom('alert_targets').selectAll().where('name', '=', name).executeTakeFirst()
}

/** Adds new targets: each is told the open alerts, and all later ones. */
export async function addAlertTargets(trx: Transaction<Tables>, names: readonly AlertTargetName[]): Promise<void> {
  for (const name of names) {
    if ((await readTarget(trx, name)) !== undefined) continue
    await trx.insertInto('alert_targets').values({ name, failures: 0, next_at: 0 }).execute()
    await trx
      .updateTable('alerts')
      .set((eb) => ({ [toldBy[name]]: eb.ref('step') }))
      .where('closed_at', 'is not', null)
      .execute()
  }
}

/** Served by a partial index for each target. */
function selectUntold(db: Db, name: AlertTargetName) {
  return db.selectFrom('alerts').where(sql.ref(toldBy[name]), '<', sql.ref('step'))
}

async function readUntold(db: Db, name: AlertTargetName): Promise<UntoldAlert[]> {
  const rows = await selectUntold(db, name).selectAll().orderBy('id').limit(maxUntold).execute()
  return rows.map((row) => ({ ...toRecord(row), step: row.step, told: row[toldBy[name]] }))
}

async function countUntold(db: Db, name: AlertTargetName): Promise<number> {
  const { count } = await selectUntold(db, name)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Reads of alerts and their targets. */
export type AlertViews = ReturnType<typeof createAlertViews>

export function createAlertViews({ db, now }: ViewCore) {
  return {
    /** Open alerts, oldest first. */
    openAlerts: () => readOpenAlerts(db),
    /** All alerts, open or closed, newest first. */
    listAlerts: (limit: number, before?: number) => listAlerts(db, limit, before),
    /** State of these alert targets. */
    alertTargets: async (names: readonly AlertTargetName[]) => readAlertTargets(db, names, await now()),
  }
}
