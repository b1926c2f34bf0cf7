import { type Kysely, sql, type Transaction } from 'kysely'
import type { Clock } from '@pawl/base/clock'
import { PawlError } from '@pawl/base/errors'
import { CopyRefused, type CopySide, isSameFile, isThere, type Numbered, openCopySide, reasonOf } from './copy-side.ts'
import { appendAudit } from '../../audit/audit.ts'
import type { Actor } from '../../audit/audit-entry.ts'
import { createSignatures, type Signatures } from '../../sealing/signatures.ts'
import type { Tables } from '../../tables.ts'
import { beginCopy, endCopy, isUnfinishedCopy, noteReached, readCopy, type Reached } from './unfinished-copy.ts'

/** The copy was stopped between two batches; the same command continues it. */
export class CopyStopped extends PawlError {
  readonly code = 'copy_stopped'
}

/** The copy failed; finished batches stay, and the same command continues it. */
class CopyFailed extends PawlError {
  readonly code = 'copy_failed'
}

/** Progress of a copy. */
export interface CopyProgress {
  table: string
  copied: number
  total: number
}

/** Every table with its key, parents before children, except `processes`, which is empty during a copy. The compiler checks that no other is missing. */
const keys: { [Table in Exclude<keyof Tables, 'processes'>]: readonly (keyof Tables[Table] & string)[] } = {
  events: ['id'],
  event_marks: ['mark', 'resource'],
  resources: ['number'],
  states: ['resource'],
  baselines: ['resource', 'version'],
  work: ['resource', 'handler'],
  journal: ['id'],
  outcomes: ['resource'],
  lookups: ['resource', 'field', 'digest'],
  effects: ['resource', 'handler', 'key'],
  begun_effects: ['resource', 'handler', 'key'],
  feed: ['id'],
  starts: ['prescription', 'kind'],
  handler_memory: ['resource', 'handler', 'role'],
  shared_memory: ['system', 'role'],
  left_out: ['resource', 'system', 'type'],
  audit: ['id'],
  audit_head: ['name'],
  ended_sessions: ['id'],
  session_time: ['name'],
  digest_key: ['name'],
  outages: ['system'],
  pauses: ['kind', 'name'],
  rejections: ['id'],
  alerts: ['id'],
  alert_targets: ['name'],
  upkeep: ['task'],
  tallies: ['span', 'at', 'name'],
  projections: ['name'],
}
const tables = Object.entries(keys)
const numbered: readonly Numbered[] = ['events', 'journal', 'rejections', 'alerts']

/** Rows are copied as they are, with any columns. */
type Row = Record<string, unknown>
type Db = Kysely<Tables>

/** Rows per batch: few until their size is known. */
const rows = { first: 20, max: 500 }
const bytesAtOnce = 4_194_304

/** Options of a copy. */
export interface CopyOptions {
  from: string
  to: string
  /** The ledger's keys: needed to record the copy in a signed audit trail. */
  sealingKeys: readonly Uint8Array[]
  actor: Actor
  clock: Clock
  signal: AbortSignal
  onProgress: (progress: CopyProgress) => void
}

/**
 * Copies a ledger, bodies sealed as they are, into an empty database, or continues such a copy. Neither may be in use meanwhile.
 * Resolves with each table's row count once the target is complete. Throws `CopyRefused`, `CopyStopped` on `signal`, and `CopyFailed`.
 */
export async function copyLedger(options: CopyOptions): Promise<Map<string, number>> {
  const { from, to, clock } = options
  if (!isThere(from)) throw new CopyRefused(`${from} does not exist.`)
  if (isSameFile(from, to)) throw sameDatabase()
  const source = await openCopySide(from, clock)
  try {
    const target = await openCopySide(to, clock)
    try {
      await source.assertFree()
      await target.assertFree()
      // One transaction over the whole source: it stays unchanged until the end.
      return await source.db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute((trx) => copyAll(trx, source, target, options))
    } catch (error) {
      if (error instanceof PawlError) throw error
      throw new CopyFailed(`The copy failed: ${reasonOf(error)}. Fix that, then run the same command again.`, {
        cause: error,
      })
    } finally {
      await target.db.destroy()
    }
  } finally {
    await source.db.destroy()
  }
}

async function copyAll(
  trx: Db,
  source: CopySide,
  target: CopySide,
  { signal, onProgress, sealingKeys, actor, clock }: CopyOptions,
): Promise<Map<string, number>> {
  await source.lock(trx)
  const seal = createSignatures(sealingKeys)
  await assertSignable(trx, seal)
  await target.db.transaction().execute(async (trx) => {
    if (!(await target.lock(trx))) throw sameDatabase()
  })
  const counts = await countRows(trx)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) throw new CopyRefused(`${source.name} holds no ledger, or an empty one: there is nothing to copy.`)
  const reached = await beginOrGoOn(source, target, await markOf(trx))
  let copied = [...reached.values()].reduce((sum, each) => sum + each.copied, 0)

  for (const [table, key] of tables) {
    let size = rows.first
    for (let at = reached.get(table) ?? { key: undefined, copied: 0 }; ;) {
      onProgress({ table, copied, total })
      if (signal.aborted)
        throw new CopyStopped(`Stopped after ${copied} of ${total} rows. Run the same command again to continue.`)
      const batch = await readAfter(trx, table, key, at.key, size)
      const last = batch.at(-1)
      if (last === undefined) break
      const next: Reached = { key: key.map((column) => last[column]), copied: at.copied + batch.length }
      await target.db.transaction().execute(async (trx) => {
        if (!(await noteReached(trx, table, at, next)))
          throw new CopyFailed('Another copy into the same target is under way: let it finish.')
        await insert(trx, table, batch, target.withOwnNumbers)
      })
      at = next
      copied += batch.length
      size = Math.min(Math.max(Math.floor((batch.length * bytesAtOnce) / bytesOf(batch)), 1), rows.max)
    }
  }
  await finish(trx, source, target, counts, async (trx) => {
    const details = { from: source.kind, to: target.kind, rows: total }
    await appendAudit(trx, [{ actor, action: 'ledger.copy', details }], {
      now: clock.now(),
      seal,
      lock: target.lockAudit,
    })
  })
  return counts
}

/** A signed trail accepts only signed rows. */
async function assertSignable(db: Db, seal: Signatures): Promise<void> {
  const head = await db.selectFrom('audit_head').select('signature').executeTakeFirst()
  if ((head?.signature ?? null) !== null && seal.sign('') === undefined)
    throw new CopyRefused('The audit trail is signed, and records the copy: set the SEALING_KEYS of pawl itself.')
}

async function beginOrGoOn(source: CopySide, target: CopySide, mark: string): Promise<Map<string, Reached>> {
  if (!(await isUnfinishedCopy(target.db))) {
    const held = await countRows(target.db)
    const full = [...held].find(([, count]) => count > 0)
    if (full !== undefined)
      throw new CopyRefused(
        `${target.name} already holds a ledger (${full[0]}: ${full[1]} rows): copy into an empty one.`,
      )
    const names = tables.map(([table]) => table)
    await target.db.transaction().execute((trx) => beginCopy(trx, mark, names))
  }
  const begun = await readCopy(target.db)
  if (begun.mark !== mark)
    throw new CopyRefused(
      `${target.name} holds an unfinished copy of another ledger, or of ${source.name} before pawl worked on it again: empty the target and start over.`,
    )
  return begun.reached
}

async function countRows(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const [table] of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
    counts.set(table, Number(rows[0]?.count))
  }
  return counts
}

/** A mark that changes with any work on a ledger: a copy continues only if the source has not changed. */
async function markOf(db: Db): Promise<string> {
  const counts = await countRows(db)
  const { rows } = await sql<Row>`select
    (select sum(repeats) from events) as repeats,
    (select sum(newest_event_id + reads + coalesce(claim_until, 0) + coalesce(due_at, 0) + coalesce(next_poll_at, 0)) from resources) as resources,
    (select sum(version + coalesce(read_at, 0) + length(document)) from states) as states,
    (select sum(attempts + coalesce(due_at, 0)) from work) as work,
    (select max(id) from events) as last_event,
    (select max(id) from journal) as last_recorded`.execute(db)
  return JSON.stringify([...counts, rows[0]])
}

async function readAfter(
  db: Db,
  table: string,
  key: readonly string[],
  after: readonly unknown[] | undefined,
  limit: number,
): Promise<Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const where = after === undefined ? sql`` : sql`where (${columns}) > (${sql.join(after)})`
  const query = sql<Row>`select * from ${sql.table(table)} ${where} order by ${columns} limit ${limit}`
  return (await query.execute(db)).rows
}

async function insert(trx: Db, table: string, batch: readonly Row[], withOwnNumbers: string): Promise<void> {
  const columns = Object.keys(batch[0] ?? {})
  const values = batch.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
  const names = sql.join(columns.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(table)} (${names}) ${sql.raw(withOwnNumbers)} values ${sql.join(values)}`.execute(
    trx,
  )
}

function bytesOf(batch: readonly Row[]): number {
  const ofValue = (value: unknown) => (value instanceof Uint8Array ? value.byteLength : String(value).length)
  return batch.reduce(
    (sum, row) => sum + Object.values(row).reduce((each: number, value) => each + ofValue(value), 0),
    1,
  )
}

/** Compares row counts, sets the target's sequences, and completes the copy. */
async function finish(
  trx: Db,
  source: CopySide,
  target: CopySide,
  counts: Map<string, number>,
  noteCopy: (trx: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  const copied = await countRows(target.db)
  for (const [table, count] of counts) {
    if (copied.get(table) !== count)
      throw new CopyFailed(
        `${table} has ${count} rows in the source and ${copied.get(table)} in the target: empty the target and start over.`,
      )
  }
  const lastNumbers = new Map<Numbered, number>()
  for (const table of numbered) lastNumbers.set(table, await source.readLastNumber(trx, table))
  await target.db.transaction().execute(async (trx) => {
    for (const [table, last] of lastNumbers) await target.setLastNumber(trx, table, last)
    await noteCopy(trx)
    await endCopy(trx)
  })
}

function sameDatabase(): CopyRefused {
  return new CopyRefused('Source and target are the same database, or another copy is under way there.')
}
