import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/settings/read-config.ts'
import { createMemoryEhr, type MemoryEhr } from '@pawl/ehr/memory/memory-ehr'
import { createMemoryPharmacy, type MemoryPharmacy } from '@pawl/pharmacy/memory/memory-pharmacy'
import { startGateway } from '../../../src/gateway.ts'
import type { Ledger } from '@pawl/ledger/ledger'
import { schemas } from 'pawl-client/schemas/kinds'
import type { SandboxOptions } from '@pawl/sandbox/options'
import { signDelivery } from '@pawl/sandbox/webhooks/sign'
import { eventTypes } from '@pawl/sandbox/webhooks/settings'
import type { SystemsByName } from '@pawl/connector/system'
import { type AnyIntegration, systemsOf } from '../../../src/work/integration.ts'
import type { WebhookEnvelope } from 'pawl-client/schemas/envelope'
import { captureLog } from './capture-log.ts'
import { quickSettings } from './quick-settings.ts'
import type { Call } from './record-calls.ts'
import { settle } from './settle.ts'
import { recordingSystem, type StandIns, systemsFrom } from './stand-ins.ts'
import { createTestClock } from './test-clock.ts'
import { startTestService, type TestService } from './test-service.ts'
import type { Work } from '@pawl/ledger/views/read-work'

/** Options of a test gateway. */
export interface TestGatewayOptions {
  /** Usually the default export of `src/integration/index.ts`. */
  integration: AnyIntegration
  /** Environment variables: overrides of the kit's, and the integration's own. */
  settings?: Record<string, string> | undefined
  /** Replacements for the systems in memory. */
  systems?: StandIns | undefined
  /** Behaviour of the service. Default: equal in every run, PAs without detours. */
  sandbox?: Omit<SandboxOptions, 'clock' | 'speed' | 'data'> | undefined
  /** Start of the test's clock. Default: 2 March 2026, 09:00 UTC. */
  startsAt?: Date | undefined
}

/** The gateway's answer to a delivery. */
export interface Delivered {
  /** The HTTP status. */
  status: number
  eventId: number | undefined
  duplicate: boolean | undefined
}

/** A gateway and its surroundings, in this process. */
export interface TestGateway {
  /** Base URL of its public listener. */
  url: string
  service: TestService
  /** The chart, unless the test replaced it. */
  ehr: MemoryEhr
  /** The pharmacy, unless the test replaced it. */
  pharmacy: MemoryPharmacy
  /** Calls of systems given by the test, oldest first. */
  calls: readonly Call[]
  /** Lines of the log, oldest first. */
  readonly lines: readonly Record<string, unknown>[]
  ledger: Ledger
  clock: {
    now(this: void): number
    /** Settles, jumps `ms` milliseconds ahead and settles again. Stops at each change due at the service on the way. */
    advance(this: void, ms: number): Promise<void>
  }
  /** Posts a webhook, signed as the service signs. If the service does not know the resource, it then serves it as in the webhook. */
  deliver(this: void, envelope: WebhookEnvelope): Promise<Delivered>
  /** Resolves once no work is due, running, in transit or to be retried within two seconds. Rejects after `timeoutMs` (default 30,000) with a list of pending work. */
  settle(this: void, timeoutMs?: number): Promise<void>
  /** Parked work. */
  parked(this: void): Promise<Work[]>
  /** Stops everything and removes the temporary files. */
  close(this: void): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const secret = 'a-secret-for-tests-of-at-least-32-characters'
const usualStart = new Date('2026-03-02T09:00:00Z')

/** Starts the gateway with an integration, its own ledger, and service and systems in memory, all on one clock. */
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
  const { log, lines } = captureLog('debug', { ownFields: integration.logFields })
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
    // Shape of the receiver's answer; a refusal has neither field.
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
