import { expect, it } from 'vitest'
import { createVitals } from '../src/vitals.ts'

it('tells since when deliveries are turned away, also over the end of a minute', () => {
  let now = 50_000
  const vitals = createVitals(() => now)
  for (now of [50_000, 58_000, 63_000]) vitals.turnedAway('disk_full')
  now = 70_000
  expect(vitals.read().turnedAway).toEqual([{ code: 'disk_full', count: 3, forMs: 20_000, lastAgoMs: 7_000 }])
  now = 200_000
  expect(vitals.read().turnedAway).toEqual([])
})

it('knows the difference of the clocks until the clock is set, or the machine has slept', () => {
  let [now, elapsed] = [1_000_000, 0]
  const vitals = createVitals(
    () => now,
    () => elapsed,
  )
  expect(vitals.clockAheadMs()).toBeUndefined()
  vitals.compared(-1_200_000)
  ;[now, elapsed] = [now + 3_600_000, elapsed + 3_600_000]
  expect(vitals.clockAheadMs()).toBe(-1_200_000)
  now += 1_200_000
  expect(vitals.clockAheadMs()).toBeUndefined()
  vitals.compared(0)
  expect(vitals.clockAheadMs()).toBe(0)
})
