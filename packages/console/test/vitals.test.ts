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
