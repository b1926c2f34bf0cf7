import { expect, it } from 'vitest'
import { runKillLoop } from './kill-loop.ts'

/** `npm run kill-loop` does a thousand. */
const kills = 5

it('killed repeatedly, pawl brings chart and pharmacy in sync on one SQLite file', async () => {
  const { acknowledged, differences, parked } = await runKillLoop({ kills, seed: 1 })
  expect({ differences, parked }).toEqual({ differences: [], parked: [] })
  expect(acknowledged).toBeGreaterThan(kills)
})

it('of which either is killed repeatedly, two processes bring them in sync on one SQLite file', async () => {
  const { acknowledged, differences, parked } = await runKillLoop({ kills, seed: 2, twice: true })
  expect({ differences, parked }).toEqual({ differences: [], parked: [] })
  expect(acknowledged).toBeGreaterThan(kills)
})

it('killed repeatedly, pawl sends one document of each state by HL7 v2, despite lost answers', async () => {
  const { messages, differences, parked } = await runKillLoop({ kills: 6, seed: 3, hl7: true })
  expect({ differences, parked }).toEqual({ differences: [], parked: [] })
  expect(messages.arrived).toBeGreaterThan(10)
  expect(messages.repeated).toBeGreaterThan(0)
})
