import { randomBytes } from 'node:crypto'
import { type Expression, type Kysely, sql, type Transaction } from 'kysely'
import { groupBy } from '../hot/group-by.ts'
import { emptyEntry, walkJournal } from '../hot/journal-rows.ts'
import { forgetVersions } from '../hot/state-document.ts'
import { lockingRows } from '../hot/statement.ts'
import { editDocuments } from '../hot/states.ts'
import { noSnapshot } from './no-snapshot.ts'
import { dueGraceMs, purgedAtOnce, type PurgeLimits, type Purged } from './purge.ts'
import { maxPurgeCounted } from './max-purge-counted.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Contents of resources other than events. */
type PurgedContents = Pick<Purged, 'snapshots' | 'baselines' | 'effects' | 'notices' | 'outcomes'>

export const noContents: PurgedContents = { snapshots: 0, baselines: 0, effects: 0, notices: 0, outcomes: 0 }

/** Grace for a state that polling confirms daily: it is current, however old. Polling ends sooner (src/work/poll/pace.ts). */
const polledGraceMs = 90 * 86_400_000

/** Deletes a few expired contents of one kind; resolves empty if none are left. */
export async function purgeContents(trx: Transaction<Tables>, limits: PurgeLimits): Promise<Partial<PurgedContents>> {
  const snapshots = await purgeSnapshots(trx, limits)
  if (snapshots > 0) return { snapshots }
  const baselines = await purgeBaselines(trx, limits)
  if (baselines > 0) return { baselines }
  const effects = await purgeEffects(trx, limits)
  if (effects > 0) return { effects }
  const notices = await purgeNotices(trx, limits)
  if (notices > 0) return { notices }
  const outcomes = await purgeOutcomes(trx, limits)
  return outcomes > 0 ? { outcomes } : {}
}

/** Contents that all steps together would delete, per kind. */
export async function countContents(db: Db, limits: PurgeLimits): Promise<PurgedContents> {
  return {
    snapshots: await count(db, selectSnapshots(db, limits).select('number').limit(maxPurgeCounted)),
    baselines: await count(db, selectBaselines(db, limits).select('version').limit(maxPurgeCounted)),
    effects: await count(db, selectEffects(db, limits).select('handler').limit(maxPurgeCounted)),
    notices: await count(db, selectNotices(db, limits).select('id').limit(maxPurgeCounted)),
    outcomes: await count(db, selectOutcomes(db, limits).select('resource').limit(maxPurgeCounted)),
  }
}

async function count(db: Db, rows: Expression<unknown>): Promise<number> {
  const counted = await sql<{ count: number }>`select count(*) as count
    from ${rows} as old`.execute(db)
  return Number(counted.rows[0]?.count)
}

/** Expired snapshots, of any kind and status. */
function selectSnapshots(db: Db, limits: PurgeLimits) {
  return db
    .selectFrom('states')
    .innerJoin('resources', 'number', 'resource')
    .where('read_at', 'is not', null)
    .where(isOldSnapshot(limits))
}

/** Ids, progress and the keys of remembered effects stay. */
async function purgeSnapshots(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const cutoff = limits.now - limits.keepMs
  const rows = await selectSnapshots(trx, limits)
    .select(['number', 'journal_id'])
    .limit(purgedAtOnce)
    .modifyEnd(lockingRows(trx, 'states'))
    .execute()
  const numbers = rows.map(({ number }) => number)
  if (numbers.length === 0) return 0
  await trx.updateTable('resources').set(noSnapshot).where('number', 'in', numbers).execute()
  await trx
    .updateTable('states')
    .set({ snapshot: null, identity: null, read_at: null })
    .where('resource', 'in', numbers)
    .execute()
  await editDocuments(trx, numbers, (document) => forgetVersions(document, () => true))
  await trx.deleteFrom('baselines').where('resource', 'in', numbers).execute()
  await trx
    .updateTable('effects')
    .set({ value: null })
    .where('resource', 'in', numbers)
    .where('value', 'is not', null)
    .execute()
  for (const { journal_id: head } of rows) await purgeJournal(trx, head, cutoff)
  await trx.deleteFrom('lookups').where('resource', 'in', numbers).execute()
  await unlinkOutcomes(trx, numbers)
  return numbers.length
}

/** Deletes the old rows of one resource's journal: all before the newest of them. The newest of all, whose number would come back, is emptied instead. */
async function purgeJournal(trx: Transaction<Tables>, head: number | null, cutoff: number): Promise<void> {
  const old: number[] = []
  const { newest } = await trx
    .selectFrom('journal')
    .select((eb) => eb.fn.max('id').as('newest'))
    .executeTakeFirstOrThrow()
  for await (const { id, at } of walkJournal(trx, head)) {
    if (at >= cutoff && old.length === 0) continue
    if (id !== newest) old.push(id)
    else await trx.updateTable('journal').set({ entry: emptyEntry }).where('id', '=', id).execute()
  }
  for (let at = 0; at < old.length; at += purgedAtOnce)
    await trx
      .deleteFrom('journal')
      .where('id', 'in', old.slice(at, at + purgedAtOnce))
      .execute()
}

/** Gives outcomes of ended resources a random number: they still count, but could no longer be found for an erasure. */
async function unlinkOutcomes(trx: Transaction<Tables>, numbers: readonly number[]): Promise<void> {
  const ended = await trx
    .selectFrom('outcomes')
    .innerJoin('resources', 'number', 'resource')
    .select('resource')
    .where('resource', 'in', numbers)
    .where('terminal', '=', 1)
    .execute()
  for (const { resource } of ended)
    await trx
      .updateTable('outcomes')
      .set({ resource: -1 - randomBytes(6).readUIntBE(0, 6) })
      .where('resource', '=', resource)
      .execute()
}

/** Earlier states that handlers compare with, of resources whose current one has not expired. */
function selectBaselines(db: Db, limits: PurgeLimits) {
  return db
    .selectFrom('baselines')
    .where('read_at', '<', limits.now - limits.keepMs - polledGraceMs)
    .where(hasNoKeptWork('baselines.resource', limits))
    .where(outlivesSnapshot('baselines.resource', limits))
}

async function purgeBaselines(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const rows = await selectBaselines(trx, limits).select(['resource', 'version']).limit(purgedAtOnce).execute()
  const goneOf = groupBy(rows, ({ resource }) => resource)
  await editDocuments(trx, [...goneOf.keys()], (document, resource) => {
    forgetVersions(document, (version) => goneOf.get(resource)?.some((gone) => gone.version === version) ?? false)
  })
  for (const { resource, version } of rows)
    await trx.deleteFrom('baselines').where('resource', '=', resource).where('version', '=', version).execute()
  return rows.length
}

function selectEffects(db: Db, limits: PurgeLimits) {
  return db
    .selectFrom('effects')
    .where('value', 'is not', null)
    .where('done_at', '<', limits.now - limits.keepMs - polledGraceMs)
    .where(hasNoKeptWork('effects.resource', limits))
    .where(outlivesSnapshot('effects.resource', limits))
}

/** Deletes results only: that the effects happened stays recorded. */
async function purgeEffects(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const rows = await selectEffects(trx, limits).select(['resource', 'handler', 'key']).limit(purgedAtOnce).execute()
  for (const { resource, handler, key } of rows)
    await trx
      .updateTable('effects')
      .set({ value: null })
      .where('resource', '=', resource)
      .where('handler', '=', handler)
      .where('key', '=', key)
      .execute()
  return rows.length
}

function selectNotices(db: Db, { now, keepMs }: PurgeLimits) {
  return db
    .selectFrom('feed')
    .where('gone', 'is', null)
    .where('at', '<', now - keepMs)
}

/** Deletes notices; each reader's last deleted one stays, emptied, to show the gap. */
async function purgeNotices(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const rows = await selectNotices(trx, limits).select(['id', 'reader']).orderBy('at').limit(purgedAtOnce).execute()
  const lastOf = new Map<string, number>()
  for (const { id, reader } of rows) lastOf.set(reader, Math.max(id, lastOf.get(reader) ?? 0))
  for (const [reader, last] of lastOf) {
    await trx.deleteFrom('feed').where('reader', '=', reader).where('id', '<', last).execute()
    await trx
      .updateTable('feed')
      .set({ body: Buffer.alloc(0), gone: 'purged' })
      .where('id', '=', last)
      .execute()
  }
  return rows.length
}

function selectOutcomes(db: Db, { now, reportKeepMs }: PurgeLimits) {
  return db.selectFrom('outcomes').where('heard_at', '<', now - reportKeepMs)
}

/** Deletes rows of the report past its period. */
async function purgeOutcomes(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const rows = await selectOutcomes(trx, limits).select('resource').orderBy('heard_at').limit(purgedAtOnce).execute()
  const numbers = rows.map(({ resource }) => resource)
  if (numbers.length > 0) await trx.deleteFrom('outcomes').where('resource', 'in', numbers).execute()
  return numbers.length
}

/** The resource's current snapshot has expired. */
function isOldSnapshot(limits: PurgeLimits, states: 'states' | 'present' = 'states') {
  const cutoff = limits.now - limits.keepMs
  const readAt = sql.ref(`${states}.read_at`)
  return sql<boolean>`${readAt} / 86400000 <= ${Math.floor(cutoff / 86_400_000)} and ${readAt} < ${cutoff}
    and ${readAt} < ${cutoff} - case when resources.due_at is not null then ${sql.lit(dueGraceMs)}
      when resources.next_poll_at is not null then ${sql.lit(polledGraceMs)} else 0 end
    and ${hasNoKeptWork('resources.number', limits)}`
}

/** Its resource's snapshot has not expired. */
function outlivesSnapshot(resource: `${'baselines' | 'effects'}.resource`, limits: PurgeLimits) {
  return sql<boolean>`not exists (select 1 from resources
    inner join states as present on present.resource = resources.number
    where resources.number = ${sql.ref(resource)} and ${isOldSnapshot(limits, 'present')})`
}

/** No parked work of the resource is still kept for a retry. */
function hasNoKeptWork(
  resource: 'resources.number' | `${'baselines' | 'effects'}.resource`,
  { now, parkedKeepMs }: PurgeLimits,
) {
  return sql<boolean>`not exists (select 1 from work as parked where parked.resource = ${sql.ref(resource)}
    and parked.state = 'parked' and parked.parked_at >= ${now - parkedKeepMs})`
}
