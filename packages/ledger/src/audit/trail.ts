import type { Kysely, Transaction } from 'kysely'
import { appendAudit, type AuditEnd, type AuditState, readTrailEnd } from './audit.ts'
import type { Act, AuditAction, AuditEntry } from './audit-entry.ts'
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
  /** Acknowledges the last break, and so all before it, in a transaction of `commits`, if `row` is its row; resolves with the row of the break that was open. */
  acknowledge(
    this: void,
    trx: Transaction<Tables>,
    now: number,
    act: Act & { row: number },
  ): Promise<number | undefined>
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
    const row = await readOpenBreak(db)
    return {
      head: last && { id: last.id, hash: last.hash },
      broken,
      lastBreak: row && { id: row.id, agoMs: Math.max(0, at - row.at) },
    }
  }

  async function append(trx: Transaction<Tables>, now: number, entries: readonly AuditEntry[]): Promise<boolean> {
    const { end, broken } = await appendAudit(trx, entries, {
      now,
      seal,
      lock: lockAudit,
      written: ends.get(trx) ?? written,
    })
    ends.set(trx, end)
    return broken === undefined
  }

  return {
    commits: {
      ...commits,
      async write(work, touches, ask) {
        let used: Transaction<Tables> | undefined
        const result = await commits.write((trx, now, read) => work((used = trx), now, read), touches, ask)
        const end = used && ends.get(used)
        if (end !== undefined && end.id > (written?.id ?? 0)) written = end
        return result
      },
    },
    append,
    async acknowledge(trx, now, { row, ...act }) {
      // Under the lock, and with a row for a break that has none yet.
      await append(trx, now, [])
      const open = await readOpenBreak(trx)
      if (open?.id === row) await append(trx, now, [{ ...act, action: 'audit.acknowledge', details: { row } }])
      return open?.id
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

/** The last unacknowledged break. */
async function readOpenBreak(db: Kysely<Tables>) {
  const last = (action: AuditAction) =>
    db.selectFrom('audit').select(['id', 'at']).where('action', '=', action).orderBy('id', 'desc').limit(1)
  const acknowledged = await last('audit.acknowledge').executeTakeFirst()
  return last('audit.break')
    .where('id', '>', acknowledged?.id ?? 0)
    .executeTakeFirst()
}
