import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type AuditEnd, type BreakReason, findBreak, findLoss, hashOf, signedText } from './audit.ts'
import { readDetails } from './read-audit.ts'
import type { Signatures } from '../sealing/signatures.ts'
import type { Tables } from '../tables.ts'

/** Texts for breaks at the end of the trail. */
const breaks = {
  cut: 'the end of the trail was cut off or changed',
  changed: 'the last row was changed',
  wrong_signature: 'the signature of the head is wrong',
  unsigned: 'the head is not signed, though this pawl has a key',
  unknown_key: 'the head is signed with a key that SEALING_KEYS does not list',
  emptied: 'the trail is empty, though the ledger is in use',
  replaced: 'this is not the trail that the ledger began with: it was replaced',
  put_back: 'a row that this process wrote is gone: an older trail was put back',
} as const satisfies Record<BreakReason, string>

/** One fault in the trail. */
export interface AuditFault {
  /** The faulty row, or the row before a missing one. */
  id: number
  says:
    | 'a row before it is missing'
    | 'it was changed'
    | 'it is not chained to the row before it'
    | 'its signature is wrong'
    | 'it is not signed, though a row before it is'
    | 'the trail was found altered when it was written'
    | (typeof breaks)[BreakReason]
    | 'it is not the row that was noted'
}

/** Result of checking the whole trail. */
export interface AuditVerdict {
  rows: number
  /** Among these, rows signed with a listed key, and with an unlisted one. */
  signed: number
  unknownKeys: number
  /** The first signed row: it alone protects the rows before it. */
  signedSince: { id: number; at: number } | undefined
  /** The end of the trail: kept elsewhere, it later proves that no earlier row was removed. */
  head: { id: number; hash: string }
  /** The first few. */
  faults: AuditFault[]
}

const pageSize = 500
const maxFaults = 20

export interface VerifyDeps {
  seal: Signatures
  /** The end that this process wrote last, if any. */
  written: AuditEnd | undefined
  /** A head kept elsewhere. */
  noted: AuditEnd | undefined
}

/** Reads the trail from its first row to its head. */
export async function verifyAudit(db: Kysely<Tables>, { seal, written, noted }: VerifyDeps): Promise<AuditVerdict> {
  // Read before the rows: rows appended meanwhile lie behind it, and are left out.
  const head = await db.selectFrom('audit_head').selectAll().executeTakeFirst()
  const end = { id: head?.last_id ?? 0, hash: head?.hash ?? '' }
  const verdict: AuditVerdict = { rows: 0, signed: 0, unknownKeys: 0, signedSince: undefined, head: end, faults: [] }
  const fault = (id: number, says: AuditFault['says']) => {
    if (verdict.faults.length < maxFaults) verdict.faults.push({ id, says })
  }
  let last: Row | undefined
  let wasNotedSeen = false
  let hasMore = false
  // Numbers begin with 1; a lower one was inserted.
  for (
    let page = await readPage(db, Number.MIN_SAFE_INTEGER);
    page.length > 0;
    page = await readPage(db, last?.id ?? 0)
  ) {
    for (const row of page) {
      hasMore = row.id > end.id && (last?.id ?? 0) === end.id
      if (hasMore) break
      verdict.rows += 1
      for (const says of faultsOf(row, last, { seal, noted }, verdict)) fault(row.id, says)
      if (noted?.id === row.id) {
        wasNotedSeen = true
        if (noted.hash !== row.hash) fault(row.id, 'it is not the row that was noted')
      }
      last = row
    }
    if (page.length < pageSize || hasMore) break
    await nextTurn()
  }
  const broken =
    findBreak(head, last, seal) ?? (await (hasMore ? findMore(db, end) : findLoss(db, last, { seal, written })))
  if (broken !== undefined) fault(last?.id ?? 0, breaks[broken])
  else if (noted !== undefined && !wasNotedSeen) fault(noted.id, 'it is not the row that was noted')
  return verdict
}

/** Rows behind the head were appended meanwhile, unless the head has not moved. */
async function findMore(db: Kysely<Tables>, end: AuditEnd): Promise<BreakReason | undefined> {
  const head = await db.selectFrom('audit_head').select('last_id').executeTakeFirst()
  return (head?.last_id ?? 0) === end.id ? 'cut' : undefined
}

type Row = Awaited<ReturnType<typeof readPage>>[number]

function readPage(db: Kysely<Tables>, after: number) {
  return db.selectFrom('audit').selectAll().where('id', '>', after).orderBy('id').limit(pageSize).execute()
}

/** Finds the fault of one row after its predecessor, if any; counts its signature. */
function faultsOf(
  row: Row,
  before: Row | undefined,
  { seal, noted }: Pick<VerifyDeps, 'seal' | 'noted'>,
  verdict: AuditVerdict,
): AuditFault['says'][] {
  const faults: AuditFault['says'][] = []
  if (row.id !== (before?.id ?? 0) + 1) faults.push('a row before it is missing')
  else if (row.previous !== (before?.hash ?? '')) faults.push('it is not chained to the row before it')
  if (hashOf(row) !== row.hash) faults.push('it was changed')
  if (row.action === 'audit.break' && !isVouchedFor(row, noted))
    faults.push('the trail was found altered when it was written')
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

/** Whether signing began with this row, and the unsigned end before it is the head noted when the key was new. */
function isVouchedFor({ id, previous, details }: Row, noted: AuditEnd | undefined): boolean {
  const reason = readDetails(details).reason
  return reason === 'unsigned' && noted !== undefined && noted.id === id - 1 && noted.hash === previous
}
