import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../settings/config.ts'
import { createMemoryEhr, type MemoryEhr } from '../connectors/ehr/memory/memory-ehr.ts'
import { createMemoryPharmacy, type MemoryPharmacy } from '../connectors/pharmacy/memory/memory-pharmacy.ts'
import { startGateway } from '../gateway.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { schemas } from '../service/schemas/kinds.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { signDelivery } from '../sandbox/webhooks/sign.ts'
import { eventTypes } from '../sandbox/webhooks/settings.ts'
import type { SystemsByName } from '../systems/system.ts'
import { type AnyIntegration, systemsOf } from '../work/integration.ts'
import type { WebhookEnvelope } from './an-event.ts'
import { captureLog } from './capture-log.ts'
import { quickSettings } from './quick-settings.ts'
import type { Call } from './record-calls.ts'
import { settle } from './settle.ts'
import { recordingSystem, type StandIns, systemsFrom } from './stand-ins.ts'
import { createTestClock } from './test-clock.ts'
import { startTestService, type TestService } from './test-service.ts'
import type { Work } from '../ledger/views/read-work.ts'

/** What a test gateway is started with. */
export interface TestGatewayOptions {
  /** Usually the default export of `src/integration/index.ts`. */
  integration: AnyIntegration
  /** Environment variables that differ from the kit's, and those of the integration. */
  settings?: Record<string, string> | undefined
  /** Systems in place of those in memory. */
  systems?: StandIns | undefined
  /** How the service behaves. By default the same in every run, and a PA takes no detours. */
  sandbox?: Omit<SandboxOptions, 'clock' | 'speed' | 'data'> | undefined
  /** When the test begins. Default 2 March 2026, 09:00 UTC. */
  startsAt?: Date | undefined
}

/** How the gateway answered a delivery. */
export interface Delivered {
  /** The HTTP status. */
  status: number
  eventId: number | undefined
  duplicate: boolean | undefined
}

/** A gateway with all that is around it, in this process. */
export interface TestGateway {
  /** Where it takes webhooks. */
  url: string
  service: TestService
  /** The chart, where the test put nothing else in its place. */
  ehr: MemoryEhr
  /** The pharmacy, where the test put nothing else in its place. */
  pharmacy: MemoryPharmacy
  /** Calls of the systems that are not in memory, oldest first. */
  calls: readonly Call[]
  /** Lines of the log, oldest first. */
  readonly lines: readonly Record<string, unknown>[]
  ledger: Ledger
  clock: {
    now(this: void): number
    /** Settles, then jumps so many milliseconds ahead and settles again, also after each change at the service that falls due on the way. */
    advance(this: void, ms: number): Promise<void>
  }
  /** Posts a webhook, signed as the service signs. A resource that the service does not know yet it holds from then on as the webhook has it. */
  deliver(this: void, envelope: WebhookEnvelope): Promise<Delivered>
  /** Resolves once nothing is due, in work, on its way or to be tried again within two seconds; rejects after `timeoutMs` (default 30,000) with what still moves. */
  settle(this: void, timeoutMs?: number): Promise<void>
  /** Work that the gateway gave up. */
  parked(this: void): Promise<Work[]>
  /** Stops everything and removes its files. */
  close(this: void): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const secret = 'a-secret-for-tests-of-at-least-32-characters'
const usualStart = new Date('2026-03-02T09:00:00Z')

/** Starts the gateway with an integration, a ledger of its own, the service and systems in memory, all by one clock. */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const { integration, startsAt = usualStart } = options
  const clock = createTestClock(startsAt.getTime())
  const service = await startTestService(clock, options.sandbox)
  const folder = await mkdtemp(join(tmpdir(), 'pawl-'))
  const config = readConfig(
    {
      ...quickSettings,
      LEASE_MS: '60000',
      SWEEP_INTERVAL_MS: '50',
      POLL_INTERVAL_MS: '50',
      DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
      WEBHOOK_SECRETS: secret,
      API_BASE_URL: service.url,
      API_TOKEN: service.token,
      ENROLLMENT_BASE_URL: `${service.url}/enrollment`,
      ...options.settings,
    },
    integration.settings,
  )
  const calls: Call[] = []
  const ehr = createMemoryEhr({ clock })
  const pharmacy = createMemoryPharmacy(clock)
  const replaced = systemsOf(integration, config.settings)
  const systems: SystemsByName = {
    ...Object.fromEntries(Object.keys(replaced).map((name) => [name, recordingSystem(name, calls)])),
    ...('ehr' in replaced && { ehr }),
    ...('pharmacy' in replaced && { pharmacy }),
    ...systemsFrom(options.systems ?? {}, calls),
  }
  const { log, lines } = captureLog()
  const gateway = await startGateway(config, integration, { systems, clock, log, random: () => 0.5 })
  const url = gateway.url ?? ''
  service.controls.putWebhook({ name: 'gateway', url: `${url}/webhooks`, secret, events: eventTypes })

  const handlerNames = integration.handlers.map(({ name }) => name)
  const settleWithin = (timeoutMs = 30_000) => settle({ gateway, service, handlerNames }, timeoutMs)

  async function advance(ms: number): Promise<void> {
    const target = clock.now() + ms
    const jumpTo = async (time: number) => {
      clock.jumpTo(time)
      service.runDue()
      await settleWithin()
    }
    await settleWithin()
    for (let next = service.nextChange(); next !== undefined && next < target; next = service.nextChange())
      await jumpTo(next)
    await jumpTo(target)
  }

  async function deliver(envelope: WebhookEnvelope): Promise<Delivered> {
    const { data } = envelope
    const kind = data.object
    if ((kind === 'prior_authorization' || kind === 'benefit_verification') && !service.knows(data.id))
      service.holds(schemas[kind].parse(data))
    const body = JSON.stringify(envelope)
    const token = await signDelivery({ secret, body, bodyDigest: false, nowMs: clock.now() })
    const headers = { 'content-type': 'application/json', 'x-webhook-secret': token }
    const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body })
    // As the receiver answers; a refusal has neither.
    const answer = (await response.json()) as { event_id?: number; duplicate?: boolean }
    return { status: response.status, eventId: answer.event_id, duplicate: answer.duplicate }
  }

  let closed: Promise<void> | undefined
  async function closeAll(): Promise<void> {
    await gateway.close()
    await service.close()
    await Promise.all(Object.values(replaced).map(async (system) => system.close?.()))
    await rm(folder, { recursive: true, force: true })
  }
  const close = () => (closed ??= closeAll())

  return {
    url,
    service,
    ehr,
    pharmacy,
    calls,
    get lines() {
      return lines()
    },
    ledger: gateway.ledger,
    clock: { now: () => clock.now(), advance },
    deliver,
    settle: settleWithin,
    parked: async () => (await gateway.ledger.work({ state: 'parked' }, 100)).rows,
    close,
    [Symbol.asyncDispose]: close,
  }
}
