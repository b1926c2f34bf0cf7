import { expect, it } from 'vitest'
import { createRetryJobs } from '../src/retry-jobs.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { until } from '../../../test/support/until.ts'
import type { WorkFilter } from '../../ledger/src/hot/work-filter.ts'
import type { WorkGroup } from '../../ledger/src/views/work-groups.ts'

const group: WorkGroup = {
  state: 'parked',
  handler: 'chart',
  system: 'ehr',
  errorCode: 'chart_locked',
  count: 5,
  newest: 9,
  newestAt: undefined,
  oldestAt: undefined,
  message: 'The chart is open elsewhere.',
}

/** Jobs over a ledger that holds five parked resources; `restMs` passes between two steps of two. */
function start(restMs: number, { failAt, limit }: { failAt?: number; limit?: number } = {}) {
  const left = ['pa_1', 'pa_2', 'pa_3', 'pa_4', 'pa_5']
  const enqueued: string[] = []
  const stopping = new AbortController()
  const { log } = captureLog()
  const ledger = {
    async retrySome({ failedUpTo }: WorkFilter, { limit }: { limit: number }) {
      expect(failedUpTo).toBe(9)
      if (left.length === failAt) throw new Error('The ledger is away.')
      const resourceIds = left.splice(0, limit)
      const { state, handler, system, errorCode } = group
      const last = { state, handler, system, errorCode, failureId: 9, resourceId: resourceIds.at(-1) ?? '' }
      return { resourceIds, next: left.length === 0 ? undefined : last }
    },
    work: () => Promise.reject(new Error('A retry reads no work.')),
    discard: () => Promise.reject(new Error('A retry discards nothing.')),
  }
  const enqueue = (id: string) => void enqueued.push(id)
  const jobs = createRetryJobs({ ledger, enqueue, stopping: stopping.signal, log, stepSize: 2, restMs })
  return {
    job: jobs.start([group], { actor: { name: 'maria@ops-1', via: 'admin' } }, limit),
    jobs,
    enqueued,
    left,
    stopping,
  }
}

it('a retry goes through all that had failed when it began, step by step', async () => {
  const { job, enqueued } = start(1)
  await until('it is done', () => job.state === 'done')
  expect(job).toMatchObject({ total: 5, retried: 5 })
  expect(enqueued).toEqual(['pa_1', 'pa_2', 'pa_3', 'pa_4', 'pa_5'])
})

it('a retry of the first three leaves the others parked', async () => {
  const { job, left } = start(1, { limit: 3 })
  await until('it is done', () => job.state === 'done')
  expect(job).toMatchObject({ total: 3, retried: 3, isTrial: true })
  expect(left).toEqual(['pa_4', 'pa_5'])
})

it('a retry that is cancelled leaves the rest parked', async () => {
  const { job, jobs, left } = start(100)
  await until('the first step is done', () => job.retried === 2)
  jobs.cancel(job.id)
  expect(job.state).toBe('cancelled')
  const { job: other } = start(300)
  await until('another went through meanwhile', () => other.state === 'done')
  expect(left).toEqual(['pa_3', 'pa_4', 'pa_5'])
})

it('a retry that the ledger fails says so, and what was retried stays counted', async () => {
  const { job } = start(1, { failAt: 3 })
  await until('it failed', () => job.state === 'failed')
  expect(job).toMatchObject({ retried: 2, error: { code: 'unexpected' } })
})

it('a retry ends with the process', async () => {
  const { job, stopping } = start(60_000)
  await until('the first step is done', () => job.retried === 2)
  stopping.abort()
  await until('it ended', () => job.state === 'cancelled')
})
