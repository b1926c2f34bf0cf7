import { createHash } from 'node:crypto'
import {
  type Insertable,
  type InsertResult,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type UpdateResult,
} from 'kysely'
import { type AuditEntry, ownActor } from './audit-entry.ts'
import { isSealed } from '../sealing/seal.ts'
import { PawlError } from '../../base/errors.ts'
import type { Signatures } from '../sealing/signatures.ts'
import { createStatement } from '../hot/statement.ts'
import type { Tables } from '../tables.ts'

type Row = Selectable<Tables['audit']>
type Unchained = Omit<Row, 'hash' | 'signature'>

/** The columns in the order in which they are hashed. */
const hashed = [
  'id',
  'at',
  'actor',
  'via',
  'action',
  'resource_id',
  'handler',
  'reason',
  'details',
  'previous',
] as const

/** SHA-256 over a row and, with `previous`, over all before it. */
export function hashOf(row: Unchained): string {
  // An array of texts and numbers has one JSON form.
  return createHash('sha256')
    .update(JSON.stringify(hashed.map((column) => row[column])))
    .digest('hex')
}

/** What is signed of a row, and of the end of the trail: the one cannot stand for the other. */
export const signedText = {
  row: (hash: string) => `row ${hash}`,
  head: ({ last_id: id, hash }: { last_id: number; hash: string }) => `head ${id} ${hash}`,
  /** Of the key of digests, as it is stored, and the first row of the trail, by its hash. */
  ledger: (stored: Uint8Array, first: string) => `ledger ${createHash('sha256').update(stored).digest('hex')} ${first}`,
}

const insertHead = createStatement((db, rows: readonly Insertable<Tables['audit_head']>[]) =>
  db
    .insertInto('audit_head')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
)

/** The end of the trail: the number and the hash of its last row. */
export interface AuditEnd {
  id: number
  hash: string
}

/** Why the end of the trail is not as it was left: a code, which stands in the row that says so. */
export type BreakReason = 'emptied' | 'cut' | 'unsigned' | 'unknown_key' | 'wrong_signature' | 'put_back' | 'replaced'

/** How the audit trail stands, without a look at every row. */
export interface AuditState {
  /** Its last row; absent where there is none. */
  head: AuditEnd | undefined
  /** Why its end is not as it was left; absent where it is. */
  broken: BreakReason | undefined
  /** The last row that says so, and how long ago it was written. */
  lastBreak: { id: number; agoMs: number } | undefined
}

export interface AppendDeps {
  now: number
  seal: Signatures
  lock: (trx: Transaction<Tables>) => Promise<void>
  /** The end that this process wrote last, if any. */
  written?: AuditEnd | undefined
}

/**
 * Writes entries into the trail, one chained to the other, in the transaction of what they tell of: without them it does not happen.
 * Where the end of the trail is not as it was left, an entry of its own says so first, for good. Resolves with the new end, and with why a break was noted.
 */
export async function appendAudit(
  trx: Transaction<Tables>,
  entries: readonly AuditEntry[],
  { now, seal, lock, written }: AppendDeps,
): Promise<{ end: AuditEnd; broken: BreakReason | undefined }> {
  await insertHead(trx, [{ name: 'head', last_id: 0, hash: '', signature: null }])
  await lock(trx)
  const { head, last, broken } = await readTrailEnd(trx, seal, written)
  const headId = head?.last_id ?? 0
  const all: readonly AuditEntry[] =
    broken === undefined ? entries : [breakOf(broken, headId, last?.id ?? 0), ...entries]
  // Chained to the row that is there, numbered behind all that were: a break is never made good.
  let end = { last_id: Math.max(headId, last?.id ?? 0, written?.id ?? 0), hash: last?.hash ?? '' }
  for (const entry of all) {
    const row = toRow(entry, { id: end.last_id + 1, at: now, previous: end.hash })
    const hash = hashOf(row)
    const signature = seal.sign(signedText.row(hash)) ?? null
    assertWritten(
      await trx
        .insertInto('audit')
        .values({ ...row, hash, signature })
        .executeTakeFirst(),
    )
    end = { last_id: row.id, hash }
  }
  const signature = seal.sign(signedText.head(end)) ?? null
  assertWritten(
    await trx
      .updateTable('audit_head')
      .set({ ...end, signature })
      .executeTakeFirst(),
  )
  // The row that says so stays: the next entries need not say it again.
  if (broken !== undefined) await bindTrail(trx, seal)
  return { end: { id: end.last_id, hash: end.hash }, broken }
}

/** A trigger in the database may leave a statement out without an error: what it would have told of must not happen then. */
function assertWritten(result: InsertResult | UpdateResult): void {
  const count = 'numUpdatedRows' in result ? result.numUpdatedRows : result.numInsertedOrUpdatedRows
  if (count !== 1n)
    throw new AuditUnwritten(
      'The database did not take an entry of the audit trail: look for triggers on audit and audit_head.',
    )
}

/** The database left an entry of the trail out. */
export class AuditUnwritten extends PawlError {
  readonly code = 'audit_unwritten'
}

/** The head, the last row, and why they are not as they were left. */
export async function readTrailEnd(db: Kysely<Tables>, seal: Signatures, written: AuditEnd | undefined) {
  const head = await db.selectFrom('audit_head').selectAll().executeTakeFirst()
  const last = await db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
  const broken = findBreak(head, last, seal) ?? (await findLoss(db, last, { seal, written }))
  return { head, last, broken }
}

/** Compares the head with the last row. With keys, only a signature by a listed one counts; without keys, only a trail that was never signed. */
export function findBreak(
  head: Selectable<Tables['audit_head']> | undefined,
  last: Pick<Row, 'id' | 'hash'> | undefined,
  seal: Signatures,
): BreakReason | undefined {
  if ((head?.last_id ?? 0) !== (last?.id ?? 0) || (head?.hash ?? '') !== (last?.hash ?? '')) return 'cut'
  if (head === undefined || last === undefined) return undefined
  const isSigning = seal.sign('') !== undefined
  if (head.signature === null) return isSigning ? 'unsigned' : undefined
  const verdict = seal.check(signedText.head(head), head.signature)
  return verdict === 'right' ? undefined : verdict === 'wrong' ? 'wrong_signature' : 'unknown_key'
}

/** Finds an end that fits but is not the one that was left: an emptied trail in a ledger that is in use, one without the row that this process wrote, or the trail of another ledger. */
export async function findLoss(
  db: Kysely<Tables>,
  last: Pick<Row, 'id'> | undefined,
  { seal, written }: { seal: Signatures; written: AuditEnd | undefined },
): Promise<BreakReason | undefined> {
  // A process writes its start before it stores anything.
  if (last === undefined) return written !== undefined || (await isInUse(db)) ? 'emptied' : undefined
  if (!(await holdsRow(db, written))) return 'put_back'
  return (await isOwnTrail(db, seal)) ? undefined : 'replaced'
}

async function isInUse(db: Kysely<Tables>): Promise<boolean> {
  for (const table of ['events', 'resources', 'digest_key'] as const)
    if ((await db.selectFrom(table).select(sql.lit(1).as('one')).limit(1).executeTakeFirst()) !== undefined) return true
  return false
}

/** Whether the key of digests, once it is sealed, is bound to the first row of this trail. */
export async function isOwnTrail(db: Kysely<Tables>, seal: Signatures): Promise<boolean> {
  const key = await db.selectFrom('digest_key').select(['stored', 'bound']).executeTakeFirst()
  if (key === undefined || seal.sign('') === undefined || !isSealed(key.stored)) return true
  return key.bound !== null && seal.check(signedText.ledger(key.stored, await readFirstHash(db)), key.bound) === 'right'
}

/** The hash of the first row of the trail; empty where there is none. */
export async function readFirstHash(db: Kysely<Tables>): Promise<string> {
  const row = await db.selectFrom('audit').select('hash').orderBy('id').limit(1).executeTakeFirst()
  return row?.hash ?? ''
}

/** Binds the key of digests, as it is stored, to the first row of the trail. */
export async function bindTrail(trx: Transaction<Tables>, seal: Signatures): Promise<void> {
  const key = await trx.selectFrom('digest_key').select('stored').executeTakeFirst()
  if (key === undefined) return
  const bound = seal.sign(signedText.ledger(key.stored, await readFirstHash(trx))) ?? null
  await trx.updateTable('digest_key').set({ bound }).execute()
}

/** Whether the trail still has a row as it was written. */
async function holdsRow(db: Kysely<Tables>, row: AuditEnd | undefined): Promise<boolean> {
  if (row === undefined) return true
  const found = await db.selectFrom('audit').select('hash').where('id', '=', row.id).executeTakeFirst()
  return found?.hash === row.hash
}

function breakOf(reason: BreakReason, headId: number, lastId: number): AuditEntry {
  return {
    actor: ownActor,
    action: 'audit.break',
    details: { reason, head_id: headId, last_id: lastId },
  }
}

function toRow(entry: AuditEntry, chained: Pick<Row, 'id' | 'at' | 'previous'>): Unchained {
  const { actor, action, resourceId, handler, reason, details = {} } = entry
  return {
    ...chained,
    actor: storable(actor.name),
    // One column, as the columns of old rows are hashed as they are.
    via: actor.auth === undefined ? actor.via : `${actor.via}:${actor.auth}`,
    action,
    resource_id: resourceId === undefined ? null : storable(resourceId),
    handler: handler === undefined ? null : storable(handler),
    reason: reason === undefined ? null : storable(reason),
    details: storable(JSON.stringify(details)),
  }
}

/** As every database gives it back, or the hash would differ. */
function storable(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '\ufffd')
}
