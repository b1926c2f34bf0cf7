import type { GroupCommit } from './group-commit.ts'

interface Rejection {
  reason: string
  bytes: number
}

/** Records refused deliveries in batches. */
export interface Rejections {
  note(rejection: Rejection): void
  /** Flushes and stops. */
  close(): Promise<void>
}

const flushEveryMs = 1_000
/** Max refusals recorded per second, and max kept: an attacker can fill neither memory nor disk. */
const keptPerFlush = 100
const keptInAll = 10_000

/** Buffers refusals for a second: a flood of bad requests then costs one small write a second. */
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
      // A refusal that cannot be recorded was still refused, logged and counted; failures of the ledger show elsewhere.
      timer ??= setTimeout(() => void flush().catch(() => undefined), flushEveryMs).unref()
    },
    close: flush,
  }
}
