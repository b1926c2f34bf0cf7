import { afterEach, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { expectAftermath } from './expect-aftermath.ts'
import type { Mood } from '../support/played-service.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

const moods = ['429', '429 told', '500', '503', 'half', 'garbage', 'silent', 'cut', 'well'] as const satisfies Mood[]

let world: FaultWorld
afterEach(() => world.close())

it('an API with every fault, then in total failure, then well again, parks nothing and ends in sync', async () => {
  world = await startFaultWorld({
    seed: 5,
    // So few attempts that an outage which cost one each time would park the work.
    env: { API_TIMEOUT_MS: '400', RETRY_ATTEMPTS: '15', BREAKER_COOLDOWN_MS: '200', CONCURRENCY: '8' },
  })
  await world.start('all')
  const met = new Map<Mood, number>()
  const draw = (from: readonly [Mood, ...Mood[]]) => {
    // Each mood once before any twice: breaker and rate limit may leave few calls to draw for.
    const [next, ...others] = from.filter((mood) => !met.has(mood))
    const mood = world.random.pick(next === undefined ? from : [next, ...others])
    met.set(mood, (met.get(mood) ?? 0) + 1)
    return mood
  }
  world.service.mood = () => draw(moods)
  await world.load({ resources: 30, forMs: 4_000, everyMs: 20 })
  await until('every mood was met', () => moods.every((mood) => met.has(mood)))
  world.service.mood = () => draw(['500', '503', 'cut', 'silent'])
  await world.load({ resources: 30, forMs: 3_000, everyMs: 20 })
  await sleep(1_000)
  world.service.mood = () => 'well'
  await expectAftermath(world)
})
