import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { createLoopWatch, type LoopWatch } from '../../src/work/loop-watch.ts'
import { captureLog } from '../support/log-capture.ts'
import { until } from '../support/until.ts'

/** CPU time of this process; asking for it is mostly time of the system. */
function usedUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

let watch: LoopWatch
afterEach(() => watch.close())

it('the loop watch logs every handler that was running while the event loop stalled', async () => {
  const { log, lines } = captureLog()
  const holds: number[] = []
  watch = createLoopWatch({ log, count: (ms) => void holds.push(ms) })
  watch.begin('chart')
  watch.begin('pharmacy')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  await until('it is noticed', () => holds.length > 0)
  expect(lines()[0]).toMatchObject({ handler: 'chart,pharmacy', duration_ms: holds[0] })
})

it('the loop watch reports whether the process was busy meanwhile, or had to wait', async () => {
  const { log, lines } = captureLog()
  const holds: number[] = []
  watch = createLoopWatch({ log, count: (ms) => void holds.push(ms) })
  watch.begin('chart')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  await until('the wait is noticed', () => holds.length === 1)
  const end = usedUs() + 1_500_000
  while (usedUs() < end);
  await until('the work is noticed', () => holds.length === 2)
  const Line = z.object({ duration_ms: z.number(), cpu_ms: z.number() })
  const [waited, worked] = lines().map((line) => Line.parse(line))
  expect(waited?.cpu_ms).toBeLessThan(waited?.duration_ms ?? 0)
  expect(worked?.cpu_ms).toBeGreaterThanOrEqual(1_500)
})
