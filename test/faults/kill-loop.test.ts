import { afterAll, expect, it } from 'vitest'
import { describeWithPostgres, startPostgres } from '../support/postgres.ts'
import { describeWithRedis, startRedis } from '../support/redis.ts'
import { runKillLoop } from './kill-loop.ts'

/** `npm run kill-loop` does a thousand. */
const kills = 15

it('killed again and again, pawl brings chart and pharmacy up to date on one SQLite file', async () => {
  const { acknowledged, differences, parked } = await runKillLoop({ kills, seed: 1 })
  expect({ differences, parked }).toEqual({ differences: [], parked: [] })
  expect(acknowledged).toBeGreaterThan(50)
})

it('killed again and again, pawl has one document of each state by HL7 v2, though answers are lost', async () => {
  const { messages, differences, parked } = await runKillLoop({ kills: 6, seed: 3, hl7: true })
  expect({ differences, parked }).toEqual({ differences: [], parked: [] })
  expect(messages.arrived).toBeGreaterThan(10)
  expect(messages.repeated).toBeGreaterThan(0)
})

describeWithPostgres('on PostgreSQL', () => {
  describeWithRedis('with the queue on Redis', () => {
    const closers: (() => Promise<void>)[] = []
    afterAll(async () => {
      await Promise.all(closers.map((close) => close()))
    })

    it('killed again and again, pawl brings chart and pharmacy up to date', async () => {
      const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      closers.push(postgres.close, redis.close)
      const setup = { DATABASE_URL: await postgres.createDatabase(), QUEUE_URL: redis.url }
      const { differences, parked } = await runKillLoop({ kills, seed: 2, setup })
      expect({ differences, parked }).toEqual({ differences: [], parked: [] })
    })
  })
})
