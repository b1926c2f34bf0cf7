import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../packages/base/src/clock.ts'
import { readConfig } from '../../src/settings/read-config.ts'
import type { Ehr } from '../../packages/ehr/src/ehr.ts'
import type { Pharmacy } from '../../packages/pharmacy/src/pharmacy.ts'
import { type Gateway, type Parts, startGateway } from '../../src/gateway.ts'
import type { System } from '../../packages/connector/src/system.ts'
import { quickSettings } from '../../packages/testing/src/quick-settings.ts'
import { systemOf } from './run-context.ts'
import { shippedIntegration as integration } from './shipped-integration.ts'
import { webhookSecret } from './webhook.ts'

/** A gateway in this process, on free ports and a ledger of its own, with quick retries. */
export interface LocalGateway extends Gateway {
  url: string
  databasePath: string
  /** Closes it and removes its folder. */
  destroy(): Promise<void>
}

/** Parts of a test gateway: a chart or a pharmacy alone, as a system or as the port that every run gets. */
export interface TestParts extends Parts {
  /** Runs the ledger on threads of its own, as outside tests; each costs a fifth of a second to start. */
  isThreaded?: boolean
  ehr?: System<Ehr> | Ehr
  pharmacy?: System<Pharmacy> | Pharmacy
}

/** Settings of a test gateway; `env` overrides any. */
export async function testEnvironment(env: Record<string, string> = {}): Promise<Record<string, string>> {
  const folder = env.DATABASE_URL === undefined ? await mkdtemp(join(tmpdir(), 'pawl-')) : undefined
  return {
    ...quickSettings,
    WEBHOOK_SECRETS: webhookSecret,
    API_BASE_URL: 'http://127.0.0.1:9',
    API_TOKEN: 'token-for-tests',
    ...(folder === undefined ? {} : { DATABASE_URL: `file:${join(folder, 'pawl.db')}` }),
    // No claim is lost to a busy machine.
    LEASE_MS: '60000',
    SWEEP_INTERVAL_MS: '200',
    ...env,
  }
}

/** Starts the real gateway in this process. */
export async function startLocalGateway(
  { ehr, pharmacy, isThreaded = false, ...parts }: TestParts = {},
  env: Record<string, string> = {},
): Promise<LocalGateway> {
  const config = readConfig(await testEnvironment(env), integration.settings)
  const systems = {
    ...integration.systems({ settings: config.settings }),
    ...(ehr && { ehr: asSystem(ehr) }),
    ...(pharmacy && { pharmacy: asSystem(pharmacy) }),
    ...parts.systems,
  }
  const gateway = await startGateway(config, integration, {
    ...(!isThreaded && { clock: systemClock }),
    ...parts,
    systems,
  })
  return {
    ...gateway,
    url: gateway.url ?? '',
    databasePath: config.databaseUrl.slice('file:'.length),
    async destroy() {
      await gateway.close()
      if (env.DATABASE_URL === undefined)
        await rm(join(config.databaseUrl.slice('file:'.length), '..'), { recursive: true, force: true })
    },
  }
}

function asSystem<Port extends object>(part: System<Port> | Port): System<Port> {
  return 'open' in part ? part : systemOf(part)
}
