import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { hashOf, isAsLeft, signedText } from './audit.ts'
import type { Signatures } from './signatures.ts'
import type { Tables } from './tables.ts'

/** One place where the trail is not as it was written. */
export interface AuditFault {
  /** The row that does not fit, or after which one is missing. */
  id: number
  says:
    | 'a row before it is missing'
    | 'it was changed'
    | 'it is not chained to the row before it'
    | 'its signature is wrong'
    | 'it is not signed, though a row before it is'
    | 'the trail was found altered when it was written'
    | 'the end of the trail was cut off or changed'
    | 'it is not the row that was noted'
}

/** What a look at the whole trail found. */
export interface AuditVerdict {
  rows: number
  /** Of these, rows signed with a key that is listed here, and with one that is not. */
  signed: number
  unknownKeys: number
  /** The first signed row: what is before it is protected by it alone. */
  signedSince: { id: number; at: number } | undefined
  /** The end of the trail: kept elsewhere, it shows later that nothing before it was taken away. */
  head: { id: number; hash: string }
  /** The first few. */
  faults: AuditFault[]
}

const pageSize = 500
const maxFaults = 20

/** Reads the trail from its first row to its head; `noted` is a head that was kept elsewhere. */
export async function verifyAudit(
  db: Kysely<Tables>,
  seal: Signatures,
  noted?: { id: number; hash: string },
): Promise<AuditVerdict> {
  // Before the rows: what is appended meanwhile is not in it, and is not looked at.
  const head = (await db.selectFrom('audit_head').selectAll().executeTakeFirst()) ?? {
    name: 'head' as const,
    last_id: 0,
    hash: '',
    signature: null,
  }
  const end = { id: head.last_id, hash: head.hash }
  const verdict: AuditVerdict = { rows: 0, signed: 0, unknownKeys: 0, signedSince: undefined, head: end, faults: [] }
  const fault = (id: number, says: AuditFault['says']) => {
    if (verdict.faults.length < maxFaults) verdict.faults.push({ id, says })
  }
  let last: Row | undefined
  let wasNotedSeen = false
  let hasMore = false
  for (let page = await readPage(db, 0); page.length > 0; page = await readPage(db, last?.id ?? 0)) {
    for (const row of page) {
      hasMore = row.id > head.last_id && (last?.id ?? 0) === head.last_id
      if (hasMore) break
      verdict.rows += 1
      for (const says of faultsOf(row, last, seal, verdict)) fault(row.id, says)
      if (noted?.id === row.id) {
        wasNotedSeen = true
        if (noted.hash !== row.hash) fault(row.id, 'it is not the row that was noted')
      }
      last = row
    }
    if (page.length < pageSize || hasMore) break
    await nextTurn()
  }
  const isCut = !isAsLeft(head, last, seal) || (hasMore && (await readLastId(db)) === head.last_id)
  if (isCut) fault(last?.id ?? 0, 'the end of the trail was cut off or changed')
  else if (noted !== undefined && !wasNotedSeen) fault(noted.id, 'it is not the row that was noted')
  return verdict
}

/** Rows behind the head are of somebody who acted meanwhile, unless the head stands still. */
async function readLastId(db: Kysely<Tables>): Promise<number> {
  return (await db.selectFrom('audit_head').select('last_id').executeTakeFirst())?.last_id ?? 0
}

type Row = Awaited<ReturnType<typeof readPage>>[number]

function readPage(db: Kysely<Tables>, after: number) {
  return db.selectFrom('audit').selectAll().where('id', '>', after).orderBy('id').limit(pageSize).execute()
}

/** What is wrong with one row behind the one before it; counts its signature. */
function faultsOf(row: Row, before: Row | undefined, seal: Signatures, verdict: AuditVerdict): AuditFault['says'][] {
  const faults: AuditFault['says'][] = []
  if (row.id !== (before?.id ?? 0) + 1) faults.push('a row before it is missing')
  else if (row.previous !== (before?.hash ?? '')) faults.push('it is not chained to the row before it')
  if (hashOf(row) !== row.hash) faults.push('it was changed')
  if (row.action === 'audit.break') faults.push('the trail was found altered when it was written')
  if (row.signature === null) {
    if (verdict.signedSince !== undefined) faults.push('it is not signed, though a row before it is')
    return faults
  }
  verdict.signedSince ??= { id: row.id, at: row.at }
  const signature = seal.check(signedText.row(row.hash), row.signature)
  if (signature === 'wrong') faults.push('its signature is wrong')
  else if (signature === 'unknown_key') verdict.unknownKeys += 1
  else verdict.signed += 1
  return faults
}
