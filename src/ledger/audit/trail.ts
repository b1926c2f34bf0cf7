import type { Kysely, Transaction } from 'kysely'
import { appendAudit, type AuditEnd, type AuditState, readTrailEnd } from './audit.ts'
import type { AuditEntry } from './audit-entry.ts'
import type { GroupCommit } from '../hot/group-commit.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import { type AuditVerdict, verifyAudit } from './verify-audit.ts'

/** The audit trail of one process. It remembers the last row it committed, and notices if that row disappears. */
export interface Trail {
  /** Remembers the rows that its writes committed. */
  commits: GroupCommit
  /** Appends entries in a transaction of `commits`; resolves with whether the end of the trail was intact. */
  append(this: void, trx: Transaction<Tables>, now: number, entries: readonly AuditEntry[]): Promise<boolean>
  verify(this: void, noted: AuditEnd | undefined): Promise<AuditVerdict>
  /** Writes nothing; waits for writers only if the end seems broken. */
  state(this: void): Promise<AuditState>
}

export interface TrailDeps {
  commits: GroupCommit
  seal: Seal
  storage: Pick<Storage, 'db' | 'now' | 'lockAudit'>
}

export function createTrail({ commits, seal, storage: { db, now, lockAudit } }: TrailDeps): Trail {
  /** Ends written in transactions that may not be committed yet. */
  const ends = new WeakMap<Transaction<Tables>, AuditEnd>()
  let written: AuditEnd | undefined

  async function readState(db: Kysely<Tables>, at: number): Promise<AuditState> {
    const { last, broken } = await readTrailEnd(db, seal, written)
    const row = await readLastBreak(db)
    return {
      head: last && { id: last.id, hash: last.hash },
      broken,
      lastBreak: row && { id: row.id, agoMs: Math.max(0, at - row.at) },
    }
  }

  return {
    commits: {
      ...commits,
      async write(work, touches) {
        let used: Transaction<Tables> | undefined
        const result = await commits.write((trx, now) => work((used = trx), now), touches)
        const end = used && ends.get(used)
        if (end !== undefined && end.id > (written?.id ?? 0)) written = end
        return result
      },
    },
    async append(trx, now, entries) {
      const { end, broken } = await appendAudit(trx, entries, {
        now,
        seal,
        lock: lockAudit,
        written: ends.get(trx) ?? written,
      })
      ends.set(trx, end)
      return broken === undefined
    },
    verify: (noted) => verifyAudit(db, { seal, written, noted }),
    async state() {
      const seen = await readState(db, await now(db))
      if (seen.broken === undefined) return seen
      // Another process may have appended between two statements: only under the lock is it a break.
      return commits.write(async (trx, at) => {
        await lockAudit(trx)
        return readState(trx, at)
      })
    },
  }
}

function readLastBreak(db: Kysely<Tables>) {
  const breaks = db.selectFrom('audit').select(['id', 'at']).where('action', '=', 'audit.break')
  return breaks.orderBy('at', 'desc').limit(1).executeTakeFirst()
}
