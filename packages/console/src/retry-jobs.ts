import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '@pawl/base/errors'
import type { Log } from '@pawl/base/log'
import { keyOf, totalOf } from './failure-filter.ts'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { WorkCursor, WorkViews } from '@pawl/ledger/views/read-work'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'
import type { WorkFilter } from '@pawl/ledger/hot/work-filter'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'

/** A stepwise retry or discard of all work of some groups. */
export interface RetryJob {
  id: string
  does: 'retry' | 'discard'
  /** `wanted`: how much of each. */
  groups: readonly (WorkGroup & { retried: number; wanted: number })[]
  /** Work that matched at the start, or as much of it as was wanted. */
  total: number
  /** Whether only the first were wanted. */
  isTrial: boolean
  retried: number
  state: 'running' | 'done' | 'cancelled' | 'failed'
  /** When it ended; monotonic milliseconds. */
  endedAt: number | undefined
  /** The error that stopped the job. */
  error: { code: string; message: string } | undefined
}

export interface RetryJobs {
  /** Retries work of these groups that had failed when they were read, once: later failures are left alone. `limit`: the first so many alone, to see whether they succeed. */
  start(this: void, groups: readonly WorkGroup[], act: Act, limit?: number): RetryJob
  /** Counts that work as done instead, for a reason; work in a run is left alone. */
  discard(this: void, groups: readonly WorkGroup[], act: Act & { reason: string }): RetryJob
  find(this: void, id: string): RetryJob | undefined
  /** Stops retrying; retried work stays due. */
  cancel(this: void, id: string): void
}

export interface RetryJobsDeps {
  ledger: Pick<FailedWork, 'retrySome' | 'discard'> & Pick<WorkViews, 'work'>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  /** Aborts when the process stops. */
  stopping: AbortSignal
  log: Log
  /** Pieces of work per step, and the pause between two, in milliseconds: it leaves room for deliveries and other work, and time to cancel. */
  stepSize?: number
  restMs?: number
}

/** Changes the next pieces of work, `limit` at most; resolves with their resources. */
type Step = (
  filter: WorkFilter,
  limit: number,
  after: WorkCursor | undefined,
) => Promise<{ resourceIds: string[]; next: WorkCursor | undefined }>

/** Shares so much work among the groups, so that a trial shows something of each; the larger ones take what small ones leave. */
function shareOut(groups: readonly WorkGroup[], total: number): [WorkGroup, number][] {
  let left = total
  const smallestFirst = groups.toSorted((a, b) => a.count - b.count)
  const shares = new Map(
    smallestFirst.map((group, at) => {
      const share = Math.min(group.count, Math.ceil(left / (smallestFirst.length - at)))
      left -= share
      return [group, share]
    }),
  )
  return groups.map((group) => [group, shares.get(group) ?? 0])
}

/** Max finished jobs to keep. */
const keptJobs = 50

export function createRetryJobs({
  ledger,
  enqueue,
  stopping,
  log,
  stepSize = 100,
  restMs = 200,
}: RetryJobsDeps): RetryJobs {
  const jobs = new Map<string, RetryJob>()

  const retry =
    (act: Act): Step =>
    (filter, limit, after) =>
      ledger.retrySome(filter, { limit, after }, act)
  const discard =
    (act: Act & { reason: string }): Step =>
    async (filter, limit, after) => {
      const { rows, next } = await ledger.work(filter, limit, after)
      const results = await ledger.discard(rows, act)
      const discarded = rows.filter((_, at) => results[at] === 'discarded')
      return { resourceIds: discarded.map(({ resourceId }) => resourceId), next }
    }

  async function run(job: RetryJob, step: Step): Promise<void> {
    for (const group of job.groups) {
      const filter = { ...keyOf(group), failedUpTo: group.newest }
      let after: WorkCursor | undefined
      do {
        if (after !== undefined) await sleep(restMs, undefined, { signal: stopping, ref: false })
        if (job.state !== 'running') return
        const limit = job.isTrial ? Math.min(stepSize, group.wanted - group.retried) : stepSize
        if (limit <= 0) break
        const { resourceIds, next } = await step(filter, limit, after)
        for (const id of resourceIds) enqueue(id)
        group.retried += resourceIds.length
        job.retried += resourceIds.length
        after = next
      } while (after !== undefined)
    }
    job.state = 'done'
  }

  async function follow(job: RetryJob, step: Step): Promise<void> {
    try {
      await run(job, step)
    } catch (error) {
      job.state = stopping.aborted ? 'cancelled' : 'failed'
      job.error = describeError(error)
    }
    job.endedAt = performance.now()
    log.info({ count: job.retried, status: job.state }, job.does === 'retry' ? 'work is due again' : 'work discarded')
  }

  function start(does: RetryJob['does'], groups: readonly WorkGroup[], step: Step, limit?: number): RetryJob {
    const matching = totalOf(groups)
    const total = Math.min(matching, limit ?? matching)
    const id = randomBytes(9).toString('base64url')
    const job: RetryJob = {
      id,
      does,
      groups: shareOut(groups, total).map(([group, wanted]) => ({ ...group, retried: 0, wanted })),
      total,
      isTrial: total < matching,
      retried: 0,
      state: 'running',
      endedAt: undefined,
      error: undefined,
    }
    jobs.set(id, job)
    for (const [oldest] of jobs) if (jobs.size > keptJobs) jobs.delete(oldest)
    void follow(job, step)
    return job
  }

  return {
    start: (groups, act, limit) => start('retry', groups, retry(act), limit),
    discard: (groups, act) => start('discard', groups, discard(act)),
    find: (id) => jobs.get(id),
    cancel(id) {
      const job = jobs.get(id)
      if (job?.state === 'running') job.state = 'cancelled'
    },
  }
}
