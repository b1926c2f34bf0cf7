import { afterEach, expect, it } from 'vitest'
import { createLoopWatch, type LoopWatch } from '../../src/work/loop-watch.ts'
import { captureLog } from '../support/log-capture.ts'
import { until } from '../support/until.ts'

let watch: LoopWatch
afterEach(() => watch.close())

it('names in the log every handler that was in work while the event loop was held up', async () => {
  const { log, lines } = captureLog()
  const holds: number[] = []
  watch = createLoopWatch({ log, count: (ms) => void holds.push(ms) })
  watch.begin('chart')
  watch.begin('pharmacy')
  const end = performance.now() + 1_500
  while (performance.now() < end);
  await until('it is noticed', () => holds.length > 0)
  expect(lines()[0]).toMatchObject({ handler: 'chart,pharmacy', duration_ms: holds[0] })
})
