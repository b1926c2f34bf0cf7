import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createWaking } from '../../src/work/wake-waiting.ts'
import { captureLog } from '../support/log-capture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Waking over a ledger that answers with these ids, one list for each call. */
function start(...answers: (string[] | Error)[]) {
  const woken: string[] = []
  const enqueued: string[] = []
  const { log, lines } = captureLog()
  const stop = new AbortController()
  const wake = createWaking({
    ledger: {
      wake(system) {
        woken.push(system)
        const answer = answers.shift() ?? []
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
      },
    },
    enqueue: (id) => void enqueued.push(id),
    stopping: stop.signal,
    log,
  })
  return { wake, stop, woken, enqueued, lines }
}

it('a worker wakes waiting work at once, and work then in progress a moment later', async () => {
  const { wake, woken, enqueued } = start(['pa_1', 'pa_2'], ['pa_3'])
  wake('ehr')
  await vi.advanceTimersByTimeAsync(1_900)
  expect(enqueued).toEqual(['pa_1', 'pa_2'])
  await vi.advanceTimersByTimeAsync(200)
  expect(enqueued).toEqual(['pa_1', 'pa_2', 'pa_3'])
  expect(woken).toEqual(['ehr', 'ehr'])
})

it('a worker wakes nothing once pawl stops', async () => {
  const { wake, stop, woken } = start()
  wake('ehr')
  stop.abort()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(woken).toEqual(['ehr'])
})

it('a worker reports that the ledger could not wake work, and tries once more', async () => {
  const { wake, enqueued, lines } = start(new Error('locked'), ['pa_1'])
  wake('ehr')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(lines().map(({ msg }) => msg)).toEqual(['work not woken'])
  expect(enqueued).toEqual(['pa_1'])
})
