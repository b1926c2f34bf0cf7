import { expect, it } from 'vitest'
import { createReleased } from '../src/released.ts'
import type { RunRecord } from '../../ledger/src/views/list-runs.ts'

const chart = { kind: 'handler', name: 'chart' } as const

it('tells how what was released fares by the newest run of each handler since, without those that only wait', async () => {
  const runs: RunRecord[] = []
  const run = (resourceId: string, result: RunRecord['result'], errorCode?: string, handler = 'chart') =>
    runs.unshift({
      id: runs.length + 1,
      resourceId,
      handler,
      result,
      errorCode,
      startedAt: 0,
      finishedAt: 0,
      nextAt: undefined,
    })
  const released = createReleased({
    listRuns: ({ handler }, limit) =>
      Promise.resolve({
        rows: runs.filter((each) => handler === undefined || each.handler === handler).slice(0, limit),
        next: undefined,
      }),
  })
  expect(await released.read(chart)).toBeUndefined()
  run('pa_1', 'failed', 'handler_paused')
  run('pa_1', 'parked', 'chart_locked')
  await released.note(chart, ['pa_1', 'pa_2', 'pa_3'])
  expect(await released.read(chart)).toEqual({ released: 3, succeeded: 0, failed: 0 })
  run('pa_1', 'succeeded')
  run('pa_2', 'failed', 'system_down')
  run('pa_3', 'failed', 'chart_locked')
  run('pa_9', 'failed', 'chart_locked')
  run('pa_1', 'parked', 'chart_locked', 'desk')
  expect(await released.read(chart)).toEqual({ released: 3, succeeded: 1, failed: 1 })
  run('pa_3', 'succeeded')
  expect(await released.read(chart)).toEqual({ released: 3, succeeded: 2, failed: 0 })
  await released.note({ kind: 'all', name: '' }, ['pa_1'])
  run('pa_1', 'succeeded')
  run('pa_1', 'parked', 'desk_closed', 'desk')
  expect(await released.read({ kind: 'all', name: '' })).toEqual({ released: 1, succeeded: 0, failed: 1 })
})
