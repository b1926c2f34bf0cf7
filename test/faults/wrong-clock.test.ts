import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { expectAftermath } from './expect-aftermath.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

const hourMs = 3_600_000
let world: FaultWorld
let setClock: (offsetMs: number) => void

beforeEach(async () => {
  world = await startFaultWorld({ seed: 7 })
  const file = join(world.folder, 'clock')
  setClock = (offsetMs) => writeFileSync(file, String(offsetMs))
  setClock(0)
})
afterEach(() => world.close())

const start = (role: 'receiver' | 'worker') =>
  world.start(role, { env: { CLOCK_FILE: join(world.folder, 'clock'), WORK_MS: '100', API_TIMEOUT_MS: '2000' } })

describe.each([
  ['an hour forward', [hourMs]],
  ['an hour back', [-hourMs]],
  ['an hour forward, and back again', [hourMs, 0]],
])('a clock set %s under load', (_, offsets) => {
  it('delays no work for an hour and takes no resource from its worker', async () => {
    const [, worker] = await Promise.all([start('receiver'), start('worker'), start('worker')])
    // Some wait for their next attempt when it happens.
    world.service.mood = () => world.random.pick(['well', 'well', '500'])
    for (const offset of offsets) {
      const load = world.load({ resources: 30, forMs: 2_000 })
      await sleep(1_000)
      setClock(offset)
      await load
    }
    // A process that takes over from a dead one waits for a lease from before the step.
    if (worker !== undefined) await worker.end('SIGKILL')
    world.service.mood = () => 'well'
    await expectAftermath(world, { withinMs: 45_000 })
  })
})

it('a clock set back while no process runs delays no work for an hour', async () => {
  world.service.mood = () => world.random.pick(['well', '500'])
  const before = await Promise.all([start('receiver'), start('worker')])
  await world.load({ resources: 30, forMs: 1_000 })
  await Promise.all(before.map((pawl) => pawl.end('SIGKILL')))
  setClock(-hourMs)
  world.service.mood = () => 'well'
  // Events stored before any worker looks must not hide the step.
  await start('receiver')
  await world.load({ resources: 30, forMs: 300 })
  await start('worker')
  await expectAftermath(world, { withinMs: 45_000 })
})
