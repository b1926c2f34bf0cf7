import { type Kysely, sql } from 'kysely'
import { createFingerprint, readDigestKey } from '../sealing/digest-key.ts'
import { inSteps } from '../views/in-steps.ts'
import { openToRead } from '../open-to-read.ts'
import { type SealContext, sealContext } from '../sealing/seal-context.ts'
import { createSeal, SealBroken } from '../sealing/seal.ts'
import { readSealedPart } from '../sealing/sealed-values.ts'
import type { Tables } from '../tables.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { readPart } from './read-part.ts'

type Db = Kysely<Tables>

/** A fault in a ledger. */
export interface LedgerFault {
  where: string
  says: string
}

/** Result of checking a whole ledger. */
export interface LedgerReport {
  resources: number
  /** Count of sealed values by key id (see `ResealStep`). */
  keys: Record<string, number>
  auditRows: number
  /** The first few. */
  faults: LedgerFault[]
  faultCount: number
}

export interface CheckOptions {
  sealingKeys: readonly Uint8Array[]
  /** As in `LedgerSettings`. */
  acceptsPlain?: boolean | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

const stepSize = 200
const maxFaults = 50

/** Checks a whole ledger read-only, with pawl running or not: the file, every sealed value, work that would never be found, and the audit trail. */
export async function checkLedger(databaseUrl: string, options: CheckOptions): Promise<LedgerReport> {
  const { db, close } = openToRead(databaseUrl)
  const report: LedgerReport = { resources: 0, keys: {}, auditRows: 0, faults: [], faultCount: 0 }
  const fault = (where: string, says: string) => {
    report.faultCount += 1
    if (report.faults.length < maxFaults) report.faults.push({ where, says })
  }
  try {
    if (databaseUrl.startsWith('file:')) for (const says of await checkFile(db)) fault('file', says)
    const seal = createSeal(options.sealingKeys, options)
    const faultOf = (context: SealContext, error: unknown): undefined => {
      if (!(error instanceof SealBroken)) throw error
      fault(context, error.message)
    }
    const open = (stored: Uint8Array, context: SealContext): Uint8Array | undefined => {
      try {
        return seal.open(stored, context)
      } catch (error) {
        return faultOf(context, error)
      }
    }
    const digestKey = await readDigestKey(db, seal).catch((error: unknown) => faultOf(sealContext.digestKey(), error))
    const fingerprintOf = digestKey && createFingerprint(digestKey)
    const total = await countResources(db)
    for await (const part of inSteps((cursor?: string) => readPart(db, cursor, stepSize))) {
      options.signal?.throwIfAborted()
      const ids = part.resources.map(({ id }) => id)
      for (const { context, stored, fingerprint } of await readSealedPart(db, part)) {
        const key = seal.keyOf(stored)
        report.keys[key] = (report.keys[key] ?? 0) + 1
        const opened = open(stored, context)
        if (opened === undefined || fingerprint === undefined || fingerprintOf === undefined) continue
        if (!fingerprintOf(opened).equals(fingerprint))
          fault(context, 'does not match its fingerprint: the body, the fingerprint or the key of digests was replaced')
      }
      for (const { where, says } of await findLostWork(db, ids)) fault(where, says)
      report.resources += ids.length
      options.onProgress?.({ done: report.resources, total: Math.max(total, report.resources) })
    }
    const verdict = await verifyAudit(db, { seal, written: undefined, noted: undefined })
    report.auditRows = verdict.rows
    for (const { id, says } of verdict.faults) fault(`audit row ${id}`, says)
    return report
  } finally {
    await close()
  }
}

/** SQLite only; PostgreSQL checks its own pages. */
async function checkFile(db: Db): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(db)
  return rows.map(({ integrity_check: says }) => says).filter((says) => says !== 'ok')
}

async function countResources(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('resources')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Lost work: a handler is to be retried, but its resource is neither due nor in work. */
async function findLostWork(db: Db, ids: readonly string[]): Promise<LedgerFault[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('work')
    .innerJoin('resources', 'number', 'resource')
    .select(['resources.id', 'work.handler'])
    .where('resources.id', 'in', ids)
    .where('work.state', '=', 'due')
    .where('resources.due_at', 'is', null)
    .where('resources.claim_owner', 'is', null)
    .execute()
  return rows.map(({ id, handler }) => ({
    where: id,
    says: `${handler} is to be retried, but the resource is not due: run pawl sync ${id}`,
  }))
}
