import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import type { PawlProcess } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { readChart, readJournal } from './journal.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

type Role = 'receiver' | 'worker'
const rounds: readonly (readonly Role[])[] = [['worker'], ['receiver'], ['receiver', 'worker']]

let world: FaultWorld
afterEach(() => world.close())

/** Kills who is named, at a moment that the seed chose, in the middle of the load, and starts them again. */
async function killInALoop(): Promise<void> {
  const running = new Map<Role, PawlProcess>()
  const startAll = (roles: readonly Role[]) =>
    Promise.all(roles.map(async (role) => running.set(role, await world.start(role))))

  await startAll(['receiver', 'worker'])
  for (const victims of rounds) {
    const load = world.load({ resources: 40, forMs: 1_500 })
    await sleep(world.random.between(300, 1_300))
    await Promise.all([...running].flatMap(([role, pawl]) => (victims.includes(role) ? [pawl.end('SIGKILL')] : [])))
    await startAll(victims)
    await load
  }
  await expectAftermath(world)
  expect(world.service.acknowledged.size).toBeGreaterThan(50)
}

describe('receiver and worker, killed repeatedly under load', () => {
  it('lose nothing on one SQLite file', async () => {
    world = await startFaultWorld({ seed: 1 })
    await killInALoop()
  })

  it('wait for no lease of a dead process on one SQLite file, and take no claim from a live one', async () => {
    world = await startFaultWorld({ seed: 3, env: { LEASE_MS: '600000' } })
    const isBegun = (id: string) =>
      until(`${id} is begun`, () => readJournal(world.journalPath).some((l) => l.id === id))
    const runsOf = (id: string) =>
      readJournal(world.journalPath).filter((line) => line.id === id && line.note === 'begin')
    const hangs = { env: { WORK_MS: '1500' } }
    await world.start('receiver')
    const victim = await world.start('worker', hangs)
    world.service.change('pa_req_of_the_dead')
    await isBegun('pa_req_of_the_dead')
    await victim.end('SIGKILL')
    const successor = await world.start('worker', hangs)
    world.service.change('pa_req_of_the_living')
    await isBegun('pa_req_of_the_living')
    await world.start('worker')
    await until('both are written', () => readChart(readJournal(world.journalPath)).size === 2)
    // Once more after it succeeded, as what the dead process had sent may arrive late.
    await until('it ran once more', () => runsOf('pa_req_of_the_dead').length === 3)
    const [first, second] = runsOf('pa_req_of_the_dead')
    expect(first?.pid).toBe(victim.child.pid)
    expect(second?.pid).not.toBe(victim.child.pid)
    expect(runsOf('pa_req_of_the_living').map(({ pid }) => pid)).toEqual([successor.child.pid])
  })

  describeWithPostgres('with their ledger on PostgreSQL', () => {
    describeWithRedis('and their queue on Redis', () => {
      let servers: [TestPostgres, TestRedis] | undefined
      afterEach(async () => {
        await Promise.all((servers ?? []).map((server) => server.close()))
      })

      it('lose nothing', async () => {
        servers = await Promise.all([startPostgres(), startRedis()])
        const [postgres, redis] = servers
        const databaseUrl = await postgres.createDatabase()
        world = await startFaultWorld({ seed: 2, databaseUrl, env: { QUEUE_URL: redis.url } })
        await killInALoop()
      })
    })
  })
})
