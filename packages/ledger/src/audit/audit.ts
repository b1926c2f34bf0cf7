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
import { PawlError } from '@pawl/base/errors'
import type { Signatures } from '../sealing/signatures.ts'
import { createStatement } from '../hot/statement.ts'
import type { Tables } from '../tables.ts'

type Row = Selectable<Tables['audit']>
type Unchained = Omit<Row, 'hash' | 'signature'>

/** The columns in the order of hashing. */
const hashed = [
  'id',
  'at',
  'actor',
  'via',
  'issuer',
  'subject',
  'action',
  'resource_id',
  'handler',
  'reason',
  'details',
  'previous',
] as const

/** SHA-256 over a row and, through `previous`, over all rows before it. */
export function hashOf(row: Unchained): string {
  // An array of texts and numbers has one JSON form.
  return createHash('sha256')
    .update(JSON.stringify(hashed.map((column) => row[column])))
    .digest('hex')
}

/** The signed texts. Prefixes keep a row's signature from serving as the head's. */
export const signedText = {
  row: (hash: string) => `row ${hash}`,
  head: ({ last_id: id, hash }: { last_id: number; hash: string }) => `head ${id} ${hash}`,
  /** The stored key of digests, together with the hash of the trail's first row. */
  ledger: (stored: Uint8Array, first: string) => `ledger ${createHash('sha256').update(stored).digest('hex')} ${first}`,
}

const insertHead = createStatement((db, rows: readonly Insertable<Tables['audit_head']>[]) =>
  db
    .insertInto('audit_head')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
)

/** The end of the trail: number and hash of its last row. */
export interface AuditEnd {
  id: number
  hash: string
}

/** Why the end of the trail counts as altered: a code, stored in the row that records the break. */
export type BreakReason =
  'emptied' | 'cut' | 'changed' | 'unsigned' | 'unknown_key' | 'wrong_signature' | 'put_back' | 'replaced'

/** State of the audit trail, without reading every row. */
export interface AuditState {
  /** Its last row; absent if it is empty. */
  head: AuditEnd | undefined
  /** Why its end counts as altered; absent if intact. */
  broken: BreakReason | undefined
  /** The last row that records a break, and its age; absent once acknowledged. */
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
 * Appends entries, each chained to the previous one, in the transaction of the act they record: without them the act does not happen.
 * If the end of the trail was altered, a permanent entry records that first. Resolves with the new end, and with the reason of a recorded break.
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
  // Chained to the existing last row, numbered after all earlier ones: a break stays visible.
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
  // The row of the break stays: later entries need not repeat it.
  if (broken !== undefined) await bindTrail(trx, seal)
  return { end: { id: end.last_id, hash: end.hash }, broken }
}

/** A database trigger may skip a statement without an error: the act must not happen then. */
function assertWritten(result: InsertResult | UpdateResult): void {
  const count = 'numUpdatedRows' in result ? result.numUpdatedRows : result.numInsertedOrUpdatedRows
  if (count !== 1n)
    throw new AuditUnwritten(
      'The database did not store an entry of the audit trail: look for triggers on audit and audit_head.',
    )
}

/** The database skipped an entry of the trail. */
class AuditUnwritten extends PawlError {
  readonly code = 'audit_unwritten'
}

/** The head, the last row, and the reason of a break. */
export async function readTrailEnd(db: Kysely<Tables>, seal: Signatures, written: AuditEnd | undefined) {
  const head = await db.selectFrom('audit_head').selectAll().executeTakeFirst()
  const last = await db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
  const isChanged = last !== undefined && hashOf(last) !== last.hash
  const broken = isChanged ? 'changed' : (findBreak(head, last, seal) ?? (await findLoss(db, last, { seal, written })))
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

/** Detects a consistent end that is still wrong: an emptied trail in a ledger in use, one without the row that this process wrote, or another ledger's trail. */
export async function findLoss(
  db: Kysely<Tables>,
  last: Pick<Row, 'id'> | undefined,
  { seal, written }: { seal: Signatures; written: AuditEnd | undefined },
): Promise<BreakReason | undefined> {
  // A process records its start before it stores anything.
  if (last === undefined) return written !== undefined || (await isInUse(db)) ? 'emptied' : undefined
  if (!(await holdsRow(db, written))) return 'put_back'
  return (await isOwnTrail(db, seal)) ? undefined : 'replaced'
}

async function isInUse(db: Kysely<Tables>): Promise<boolean> {
  for (const table of ['events', 'resources', 'digest_key'] as const)
    if ((await db.selectFrom(table).select(sql.lit(1).as('one')).limit(1).executeTakeFirst()) !== undefined) return true
  return false
}

/** Whether the sealed key of digests is bound to the first row of this trail; true while it is not sealed. */
export async function isOwnTrail(db: Kysely<Tables>, seal: Signatures): Promise<boolean> {
  const key = await db.selectFrom('digest_key').select(['stored', 'bound']).executeTakeFirst()
  if (key === undefined || seal.sign('') === undefined || !isSealed(key.stored)) return true
  return key.bound !== null && seal.check(signedText.ledger(key.stored, await readFirstHash(db)), key.bound) === 'right'
}

/** The hash of the first row of the trail; empty without rows. */
async function readFirstHash(db: Kysely<Tables>): Promise<string> {
  const row = await db.selectFrom('audit').select('hash').orderBy('id').limit(1).executeTakeFirst()
  return row?.hash ?? ''
}

/** Binds the stored key of digests to the first row of the trail. */
export async function bindTrail(trx: Transaction<Tables>, seal: Signatures): Promise<void> {
  const key = await trx.selectFrom('digest_key').select('stored').executeTakeFirst()
  if (key === undefined) return
  const bound = seal.sign(signedText.ledger(key.stored, await readFirstHash(trx))) ?? null
  await trx.updateTable('digest_key').set({ bound }).execute()
}

/** Whether the trail still holds this row unchanged. */
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
    // One column, since the hashes of old rows cover the columns as they are.
    via: actor.auth === undefined ? actor.via : `${actor.via}:${actor.auth}`,
    issuer: actor.account === undefined ? null : storable(actor.account.issuer),
    subject: actor.account === undefined ? null : storable(actor.account.subject),
    action,
    resource_id: resourceId === undefined ? null : storable(resourceId),
    handler: handler === undefined ? null : storable(handler),
    reason: reason === undefined ? null : storable(reason),
    details: storable(JSON.stringify(details)),
  }
}

/** Normalised to the form that every database returns, or the hash would differ. */
function storable(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '\ufffd')
}
