import type { GroupCommit } from './group-commit.ts'

interface Rejection {
  reason: string
  bytes: number
}

/** Notes refused deliveries a batch at a time. */
export interface Rejections {
  note(rejection: Rejection): void
  /** Stores what was noted and stops. */
  close(): Promise<void>
}

const flushEveryMs = 1_000
/** Of a flood, this many a second are noted, and this many are kept: an attacker can fill neither memory nor disk. */
const keptPerFlush = 100
const keptInAll = 10_000

/** Buffers refusals for a second, so that a flood of bad requests costs one small write a second. */
export function createRejections(commits: GroupCommit): Rejections {
  let noted: Rejection[] = []
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = noted
    noted = []
    if (batch.length === 0) return
    await commits.write(async (trx, now) => {
      const rows = batch.map((rejection) => ({ ...rejection, rejected_at: now }))
      await trx.insertInto('rejections').values(rows).execute()
      await trx
        .deleteFrom('rejections')
        .where('id', '<=', (eb) =>
          eb.selectFrom('rejections').select((top) => top(top.fn.max('id'), '-', keptInAll).as('id')),
        )
        .execute()
    })
  }

  return {
    note({ reason, bytes }) {
      if (noted.length < keptPerFlush) noted.push({ reason, bytes })
      // A refusal that cannot be noted was still refused, logged and counted: the ledger's own trouble shows elsewhere.
      timer ??= setTimeout(() => void flush().catch(() => undefined), flushEveryMs).unref()
    },
    close: flush,
  }
}
