import { afterAll, expect, it } from 'vitest'
import { describeWithPostgres, startPostgres } from '../support/postgres.ts'
import { describeWithRedis, startRedis } from '../support/redis.ts'
import { type OutageResult, playOutage } from './outage.ts'

/** `npm run outage` plays ten minutes with the cooldown that pawl has by itself, 15 s; this is the same outage eight times as fast, 40 cooldowns long. */
const outage = { outageMs: 80_000, cooldownMs: 2_000 }

function expectFree({ acknowledged, differences, told, alerts, ...cost }: OutageResult): void {
  expect(cost).toEqual({ spent: [], mostAttempts: 0, parked: [] })
  expect(told).toEqual({ ehr: { away: 1, back: 1 }, pharmacy: { away: 1, back: 1 } })
  expect(alerts).toEqual({ ehr: ['opened', 'over'], pharmacy: ['opened', 'over'] })
  expect(differences).toEqual([])
  expect(acknowledged).toBeGreaterThan(50)
}

// Both set-ups wait for the same minutes.
it.concurrent(
  'an outage of chart and pharmacy under load on one SQLite file, with all shipped handlers, costs no attempt, parks nothing and is announced once',
  async () => {
    expectFree(await playOutage(outage))
  },
)

describeWithPostgres('on PostgreSQL', { concurrent: true }, () => {
  describeWithRedis('with the queue on Redis', () => {
    const closers: (() => Promise<void>)[] = []
    afterAll(async () => {
      await Promise.all(closers.map((close) => close()))
    })

    it('an outage of chart and pharmacy under load, with all shipped handlers, costs no attempt, parks nothing and is announced once', async () => {
      const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      closers.push(postgres.close, redis.close)
      const setup = { DATABASE_URL: await postgres.createDatabase(), QUEUE_URL: redis.url }
      expectFree(await playOutage({ ...outage, setup }))
    })
  })
})
