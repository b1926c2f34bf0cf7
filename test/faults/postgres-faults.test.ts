import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, it } from 'vitest'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

const failoverMs = 20_000

describeWithPostgres('a receiver and two workers on PostgreSQL alone, under load', () => {
  let postgres: TestPostgres
  let world: FaultWorld

  beforeAll(async () => {
    postgres = await startPostgres()
    const databaseUrl = await postgres.createDatabase()
    world = await startFaultWorld({ seed: 4, databaseUrl, env: { WORK_MS: '100' } })
    await Promise.all([world.start('receiver'), world.start('worker'), world.start('worker')])
  })
  afterAll(async () => {
    await world.close()
    await postgres.close()
  })

  const faults: Record<string, () => Promise<void>> = {
    'is killed and started again': async () => {
      await postgres.kill()
      await sleep(1_000)
      await postgres.start()
    },
    'cuts every connection, three times': async () => {
      for (let time = 0; time < 3; time += 1) {
        await postgres.cutConnections()
        await sleep(world.random.between(50, 300))
      }
    },
    'does not answer for 20 seconds, as in a failover': async () => {
      postgres.pause()
      await sleep(failoverMs)
      postgres.resume()
    },
  }

  it.each(Object.entries(faults))('keep every promise when PostgreSQL %s', async (_, act) => {
    const load = world.load({ resources: 40, forMs: 1_500 })
    await sleep(world.random.between(200, 600))
    await act()
    await load
    await expectAftermath(world)
  })
})
