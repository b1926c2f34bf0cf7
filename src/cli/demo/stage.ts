import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, createApi } from '../../service/client/client.ts'
import { readConfig } from '../../settings/read-config.ts'
import type { AnyHandler } from '../../work/handler.ts'
import { type Gateway, startGateway } from '../../gateway.ts'
import integration from '../../integration/index.ts'
import { createLog } from '../../base/log.ts'
import { noDetours } from '../../sandbox/platform.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { startServer } from '../../base/net/server.ts'
import { type FhirServer, patientNumbers, startFhirServer } from '../dev/services/fhir-server.ts'
import { type PharmacyDesk, startPharmacyDesk } from '../dev/services/pharmacy-desk.ts'
import type { Watch } from './watch.ts'
import { watchReads } from './watched-service.ts'

/** The organization of the demo. */
export const organization = 'org_demo'

/** Sandbox seconds per second: a day passes in about three seconds. */
const speed = 30_000

/** Failing work is parked within seconds, and a stop waits for nothing, since a person is watching. */
const impatience = {
  REST_MS: '100',
  RETRY_ATTEMPTS: '5',
  RETRY_BASE_MS: '200',
  RETRY_MAX_MS: '2000',
  BREAKER_COOLDOWN_MS: '1000',
  SHUTDOWN_GRACE_MS: '3000',
}

/** The servers of the demo, all of them real, on free ports of this machine. */
export interface Stage {
  sandbox: Sandbox
  fhir: FhirServer
  pharmacy: PharmacyDesk
  gateway: Gateway
  handlers: readonly AnyHandler[]
  /** The partner's own calls to the service. */
  api: Api
  addresses: Record<string, string>
  close(): Promise<void>
}

export interface StageOptions {
  seed?: number | undefined
  /** Default: the active ones. */
  handlers?: readonly AnyHandler[] | undefined
  watch: Watch
  /** Aborts the start. */
  signal: AbortSignal
}

/** Starts the service, a FHIR server, a pharmacy and pawl. When one cannot start or the signal aborts, closes all of them and rejects. */
export async function startStage({
  seed,
  handlers = integration.handlers,
  watch,
  signal,
}: StageOptions): Promise<Stage> {
  const webhookSecret = randomBytes(32).toString('hex')
  const pharmacySecret = `whsec_${randomBytes(32).toString('base64')}`
  const sandbox = createSandbox({
    speed,
    ...(seed === undefined ? {} : { seed }),
    // The story decides the outcomes, not chance.
    detours: noDetours,
    organizations: [{ id: organization }],
  })
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    // Stop the webhooks before their receiver.
    await sandbox.close()
    for (const closeOne of closers.splice(0).toReversed()) await closeOne()
  }
  /** Registers each started server for closing, and starts none after the signal aborted. */
  async function begin<T>(starting: Promise<T>, closerOf: (started: T) => () => Promise<void>): Promise<T> {
    const started = await starting
    closers.push(closerOf(started))
    signal.throwIfAborted()
    return started
  }
  try {
    const folder = await begin(
      mkdtemp(join(tmpdir(), 'pawl-demo-')),
      (path) => () => rm(path, { recursive: true, force: true }),
    )
    const token = await sandbox.issueToken(organization)
    const partnerToken = await sandbox.issueToken(organization)
    const atFreePort = { host: '127.0.0.1', port: 0 }
    const service = await begin(
      startServer(watchReads(sandbox.app, token, watch.read), atFreePort),
      (server) => () => server.close(0),
    )
    const fhir = await begin(startFhirServer({ onWrite: watch.chartWrite }), (server) => server.close)
    const pharmacy = await begin(startPharmacyDesk(pharmacySecret, watch.notice), (desk) => desk.close)
    const own = Object.keys(integration.settings).map((name) => [name, process.env[name]])
    const config = readConfig(
      {
        ...Object.fromEntries(own),
        ...impatience,
        PORT: '0',
        ADMIN_PORT: '0',
        WEBHOOK_SECRETS: webhookSecret,
        API_BASE_URL: service.url,
        API_TOKEN: token,
        DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
        SEALING_KEYS: randomBytes(32).toString('base64'),
        FHIR_BASE_URL: fhir.url,
        FHIR_PATIENT_SYSTEM: patientNumbers,
        PHARMACY_URL: pharmacy.url,
        PHARMACY_SECRET: pharmacySecret,
      },
      integration.settings,
    )
    const log = createLog({
      level: 'info',
      showForeignErrors: true,
      ownFields: integration.logFields,
      destination: { write: watch.log },
    })
    const gateway = await begin(startGateway(config, integration, { log, handlers }), (each) => each.close)
    const webhookUrl = `${gateway.url}/webhooks`
    sandbox.controls.putWebhook(
      { name: 'pawl', url: webhookUrl, secret: webhookSecret, bodyDigest: true },
      organization,
    )
    const addresses = {
      'the service (sandbox)': service.url,
      'its reference': `${service.url}/docs`,
      'its API token': partnerToken,
      'FHIR R4 server': `${fhir.url}/Task?patient=${fhir.patientId}`,
      pharmacy: pharmacy.url,
      'pawl, webhooks': webhookUrl,
      'pawl, admin': `${gateway.adminUrl}/readyz`,
      'pawl, metrics': `${gateway.adminUrl}/metrics`,
      'pawl, ledger': config.databaseUrl,
    }
    const api = createApi({ baseUrl: service.url, token: partnerToken })
    return { sandbox, fhir, pharmacy, gateway, handlers, api, addresses, close }
  } catch (error) {
    await close()
    throw error
  }
}
