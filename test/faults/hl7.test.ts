import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Hl7Listener, startHl7Listener } from '../support/hl7-listener.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

let listener: Hl7Listener
let relay: Relay
let world: FaultWorld
beforeEach(async () => {
  listener = await startHl7Listener()
  relay = await startRelay(listener.port)
})
afterEach(async () => {
  await world.close()
  await relay.close()
  await listener.close()
})

const env = () => ({
  EHR_URL: `mllp://127.0.0.1:${relay.port}`,
  EHR_FILED_STATES: 'every',
  HL7_ACK_TIMEOUT_MS: '1000',
  BREAKER_COOLDOWN_MS: '100',
  RETRY_MAX_MS: '500',
})

/** The one document of each resource that is not replaced: the words of its newest state, and no other. */
function expectDocuments(): void {
  const available = listener.documents().filter(({ status }) => status === 'available')
  const held = available.map(({ message }) => {
    const text = message.toString()
    const status = /\|Status: ([^|]*)\|/.exec(text)?.[1]
    return [/Request: (\w+)/.exec(text)?.[1], status?.toLowerCase().replaceAll(' ', '_')] as const
  })
  expect(held.map(([id = '']) => id).toSorted()).toEqual([...world.service.statuses.keys()].toSorted())
  for (const [id = '', status] of held) expect([id, status]).toEqual([id, world.service.statuses.get(id)])
}

it('an HL7 listener that is down for longer than all backoff gets every message, and nothing is parked', async () => {
  world = await startFaultWorld({
    seed: 12,
    env: { ...env(), RETRY_ATTEMPTS: '12', RETRY_BASE_MS: '10', RETRY_MAX_MS: '50', HANDLER_TIMEOUT_MS: '15000' },
  })
  await world.start('all')
  const load = world.load({ resources: 20, forMs: 1_500 })
  await sleep(300)
  relay.fail('away')
  await load
  await sleep(3_000)
  relay.fail()
  await expectAftermath(world)
  expectDocuments()
})
