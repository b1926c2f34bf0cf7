import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FhirServer, startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { type Line, startLine } from '../../packages/testing/src/lines/line.ts'
import { readChartStates } from '../support/chart-states.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

/** How the server before the chart takes a request: passes it on; passes it on, and answers a write after the client gave up; or keeps it. */
type Mood = 'well' | 'late' | 'silent'

let fhir: FhirServer
let ehr: Line | undefined
let ehrUrl: string
let world: FaultWorld
let mood: Mood
/** Requests that met this mood. */
let met: Record<Mood, number>
/** Ends what is kept. */
let letGo: () => void
/** Has it listen; until then it refuses connections. */
let startEhr: () => Promise<void>

beforeEach(async () => {
  fhir = await startFhirServer()
  mood = 'well'
  met = { well: 0, late: 0, silent: 0 }
  const kept = new Promise<void>((resolve) => (letGo = resolve))

  const port = await freePort()
  const { origin, pathname } = new URL(fhir.url)
  startEhr = async () => {
    const late = new WeakSet<object>()
    ehr = await startLine({
      system: 'chart',
      target: origin,
      port,
      async before(asked) {
        const { method } = asked
        const taken = mood === 'late' && method === 'GET' ? 'well' : mood
        met[taken] += 1
        if (taken === 'late') late.add(asked)
        if (taken === 'silent') {
          await kept
          throw new Error('It was never answered.')
        }
        return undefined
      },
      async after(asked, answer) {
        if (late.has(asked)) await kept
        return answer
      },
    })
  }
  ehrUrl = `http://127.0.0.1:${port}/g0${pathname}`
})
afterEach(async () => {
  letGo()
  await world.close()
  await ehr?.close()
  ehr = undefined
  await fhir.close()
})

/** A process that works, on an EHR that may not be there yet. All backoff together is over within a second unless `env` says otherwise. */
async function startWorking(env: Record<string, string> = {}): Promise<void> {
  world = await startFaultWorld({
    seed: 6,
    env: {
      FHIR_BASE_URL: ehrUrl,
      HANDLER_TIMEOUT_MS: '15000',
      RETRY_ATTEMPTS: '12',
      RETRY_BASE_MS: '10',
      RETRY_MAX_MS: '50',
      BREAKER_COOLDOWN_MS: '100',
      ...env,
    },
  })
  await world.start('all')
}

async function expectChart(): Promise<void> {
  const written = await readChartStates(fhir)
  const wanted = [...world.service.statuses]
  expect(wanted.map(([id]) => [id, written.get(`prior-authorization ${id}`)])).toEqual(wanted)
}

it('a slow EHR gets every write in time', async () => {
  await startEhr()
  await startWorking()
  fhir.setDelay(300)
  await world.load({ resources: 20, forMs: 2_000 })
  fhir.setDelay(0)
  await expectAftermath(world)
  await expectChart()
})

/** Breakers open on unanswered requests, but a slow machine may be late with good answers, too: an attempt costs a second here. */
const impatient = { EHR_TIMEOUT_MS: '1000', RETRY_ATTEMPTS: '100' }

it('an EHR that answers after the timeout holds every write once', async () => {
  await startEhr()
  await startWorking(impatient)
  mood = 'late'
  await world.load({ resources: 20, forMs: 1_500 })
  // Each but the last was done, and given up by who had asked for it.
  await until('writes were done in vain', () => met.late > 8 && fhir.writes > 7)
  mood = 'well'
  await expectAftermath(world)
  await expectChart()
  const held = (
    await Promise.all((['Task', 'ClaimResponse', 'Communication'] as const).map((type) => fhir.search(type)))
  )
    .flat()
    .map(({ resourceType, identifier }) => JSON.stringify([resourceType, identifier]))
  expect(held).toEqual([...new Set(held)])
})

it('an EHR that accepts connections but never answers gets every write once it recovers', async () => {
  await startEhr()
  await startWorking(impatient)
  mood = 'silent'
  await world.load({ resources: 20, forMs: 1_500 })
  await until('it was asked again and again', () => met.silent > 8)
  expect(fhir.writes).toBe(0)
  mood = 'well'
  await expectAftermath(world)
  await expectChart()
})

it('an EHR that refuses connections for longer than all backoff gets every write once it is back', async () => {
  await startWorking()
  await world.load({ resources: 20, forMs: 1_500 })
  await sleep(3_000)
  expect(fhir.writes).toBe(0)
  await startEhr()
  await expectAftermath(world)
  await expectChart()
})
