import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { showHidden } from '@pawl/base/show-hidden'
import { type Lines, startLines } from '@pawl/testing/lines/system-lines'
import { foreignVariables } from '@pawl/testing/services/foreign-variables'
import { noDetours } from '@pawl/sandbox/platform'
import { developmentDefaults } from '../dev/dev-settings.ts'
import { sourcesOfCheckout } from '../dev/dev-sources.ts'
import { createGatewayProcess } from '../dev/gateway-process.ts'
import { type Services, startServices } from '@pawl/testing/services/start-services'
import type { Journey } from './journey.ts'

/** A person is watching, so failing work parks within seconds. */
const impatience = {
  REST_MS: '100',
  RETRY_ATTEMPTS: '5',
  RETRY_BASE_MS: '200',
  RETRY_MAX_MS: '2000',
  BREAKER_COOLDOWN_MS: '1000',
}

/** The parts of `npm run dev` on free ports, with a ledger of their own. Their log feeds the journey. */
export interface Stage extends Pick<Services, 'sandbox' | 'fhir' | 'pharmacy'>, Pick<Lines, 'lines'> {
  adminUrl: string
  addresses: Record<string, string>
  close(): Promise<void>
}

interface Addresses {
  webhookUrl: string
  adminUrl: string
}

export interface StageOptions {
  /** The checkout. */
  root: string
  /** Sandbox seconds per second. */
  speed: number
  seed?: number | undefined
  journey: Pick<Journey, 'log' | 'observed'>
  /** Called if the gateway exits by itself or cannot start; it must abort the signal. */
  onEnd: (how: string) => void
  /** Aborts the start. */
  signal: AbortSignal
}

/** Starts the services and the gateway. If a part cannot start or the signal aborts, closes all and rejects. */
export async function startStage({ root, speed, seed, journey, onEnd, signal }: StageOptions): Promise<Stage> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne()
  }
  /** Registers each started part for closing; starts none once the signal has aborted. */
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
    const sandboxOptions = { speed, ...(seed !== undefined && { seed }), detours: noDetours, observe: journey.observed }
    const services = await begin(startServices({ sandbox: sandboxOptions }), (started) => started.close)
    const { sandbox, fhir, pharmacy } = services
    const { lines, settingsFor } = await begin(startLines(services, {}), (started) => started.close)
    const secret = randomBytes(32).toString('hex')
    const databaseUrl = `file:${join(folder, 'pawl.db')}`
    const env = {
      ...foreignVariables(process.env),
      ...developmentDefaults(),
      ...impatience,
      ...services.settings,
      ...settingsFor(0),
      PORT: '0',
      ADMIN_PORT: '0',
      WEBHOOK_SECRETS: secret,
      DATABASE_URL: databaseUrl,
      SEALING_KEYS: randomBytes(32).toString('base64'),
    }
    const { webhookUrl, adminUrl } = await new Promise<Addresses>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      let webhookUrl = ''
      const gateway = createGatewayProcess({
        sources: sourcesOfCheckout(root),
        readEnvironment: () => env,
        onLogLine(line) {
          // The fields of pawl's own log.
          const { msg, address = '' } = JSON.parse(line) as { msg: string; address?: string }
          if (msg === 'receiving') webhookUrl = address
          else if (msg === 'pawl is running') resolve({ webhookUrl, adminUrl: address })
          else journey.log(line)
        },
        onErrorLine: (line) => void process.stderr.write(`${showHidden(line)}\n`),
        onCrash: (report) => void process.stderr.write(`${showHidden(report.join('\n'))}\n`),
        onEnd,
      })
      closers.push(gateway.close)
      void gateway.restart()
    })
    sandbox.controls.putWebhook({ name: 'pawl', url: webhookUrl, secret, bodyDigest: true })
    const addresses = {
      console: `${adminUrl}/`,
      sandbox: `${sandbox.url}/_sandbox/`,
      'the service, reference': `${sandbox.url}/docs`,
      'its API token': sandbox.token,
      'FHIR R4 server': `${fhir.url}/Task?patient=${fhir.patientId}`,
      pharmacy: pharmacy.url,
      webhooks: webhookUrl,
      metrics: `${adminUrl}/metrics`,
      ledger: databaseUrl,
    }
    return { sandbox, fhir, pharmacy, lines, adminUrl, addresses, close }
  } catch (error) {
    await close()
    throw error
  }
}
