import { createHash } from 'node:crypto'
import type { Insertable, Selectable, Transaction } from 'kysely'
import { type AuditEntry, ownActor } from './audit-entry.ts'
import type { Signatures } from './signatures.ts'
import { createStatement } from './statement.ts'
import type { Tables } from './tables.ts'

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
}

const insertHead = createStatement((db, rows: readonly Insertable<Tables['audit_head']>[]) =>
  db
    .insertInto('audit_head')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Writes entries into the trail, one chained to the other, in the transaction of what they tell of: without them it does not happen.
 * Where the end of the trail is not as it was left, an entry of its own says so first. Resolves with whether it was as it was left.
 */
export async function appendAudit(
  trx: Transaction<Tables>,
  entries: readonly AuditEntry[],
  { now, seal, lock }: { now: number; seal: Signatures; lock: (trx: Transaction<Tables>) => Promise<void> },
): Promise<boolean> {
  await insertHead(trx, [{ name: 'head', last_id: 0, hash: '', signature: null }])
  await lock(trx)
  const head = await trx.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()
  const last = await trx.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
  const isWhole = isAsLeft(head, last, seal)
  const all: readonly AuditEntry[] = isWhole ? entries : [breakOf(head.last_id, last?.id ?? 0), ...entries]
  let end = { last_id: Math.max(head.last_id, last?.id ?? 0), hash: isWhole ? head.hash : (last?.hash ?? '') }
  for (const entry of all) {
    const row = toRow(entry, { id: end.last_id + 1, at: now, previous: end.hash })
    const hash = hashOf(row)
    await trx
      .insertInto('audit')
      .values({ ...row, hash, signature: seal.sign(signedText.row(hash)) ?? null })
      .execute()
    end = { last_id: row.id, hash }
  }
  await trx
    .updateTable('audit_head')
    .set({ ...end, signature: seal.sign(signedText.head(end)) ?? null })
    .execute()
  return isWhole
}

/** Whether the head names the last row and, where the trail is signed, was written by somebody who has the key. */
export function isAsLeft(head: Selectable<Tables['audit_head']>, last: Row | undefined, seal: Signatures): boolean {
  if (head.last_id !== (last?.id ?? 0) || head.hash !== (last?.hash ?? '')) return false
  if (head.signature === null) return (last?.signature ?? null) === null
  // Without its key it is the row that the next entry is chained to, and what `verifyAudit` says of both.
  return seal.check(signedText.head(head), head.signature) !== 'wrong'
}

function breakOf(headId: number, lastId: number): AuditEntry {
  return {
    actor: ownActor,
    action: 'audit.break',
    details: { head_id: headId, last_id: lastId },
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
