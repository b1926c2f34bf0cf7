import { Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

describeWithRedis('receiver and worker that enqueue through Redis, under load', () => {
  let redis: TestRedis
  let world: FaultWorld

  beforeAll(async () => {
    redis = await startRedis()
    world = await startFaultWorld({ seed: 3, env: { QUEUE_URL: redis.url } })
    await Promise.all([world.start('receiver'), world.start('worker')])
  })
  afterAll(async () => {
    await world.close()
    await redis.close()
  })

  async function ask(question: (client: Redis) => Promise<unknown>): Promise<void> {
    const client = new Redis(redis.url, { maxRetriesPerRequest: 0 })
    await question(client)
    client.disconnect()
  }

  const faults: Record<string, () => Promise<void>> = {
    'is killed and stays down for a while': async () => {
      await redis.stop()
      await sleep(1_500)
      await redis.restart()
    },
    'is restarted': () => redis.restart(),
    'is flushed': () => redis.flushAll(),
    'hangs for a while': async () => {
      redis.pause()
      await sleep(3_000)
      redis.resume()
    },
    'is out of memory': async () => {
      await ask(async (client) => {
        await client.set('ballast', Buffer.alloc(2_000_000))
        await client.config('SET', 'maxmemory-policy', 'noeviction')
        await client.config('SET', 'maxmemory', '1mb')
        await expect(client.set('more', 'x')).rejects.toThrow('OOM')
      })
      await sleep(1_500)
      await ask((client) => client.config('SET', 'maxmemory', '0'))
    },
  }

  it.each(Object.entries(faults))('keep every promise when Redis %s', async (_, act) => {
    const load = world.load({ resources: 40, forMs: 2_000 })
    await sleep(world.random.between(200, 600))
    await act()
    await load
    await expectAftermath(world)
  })
})
