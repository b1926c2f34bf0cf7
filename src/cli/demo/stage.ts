import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FhirServer, startFhirServer } from '../../../test/support/fhir-server.ts'
import { type Api, createApi } from '../../api/client.ts'
import { readConfig } from '../../config.ts'
import { type Gateway, startGateway } from '../../gateway.ts'
import { createLog } from '../../log.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { type PharmacyDesk, startPharmacyDesk } from './pharmacy-desk.ts'

/** The organization that the demo plays. */
export const organization = 'org_demo'

/** Sandbox time runs so many times as fast: a day passes in about three seconds. */
const speed = 30_000

/** Everything that the demo runs, all of it real, on free ports of this machine. */
export interface Stage {
  sandbox: Sandbox
  fhir: FhirServer
  pharmacy: PharmacyDesk
  gateway: Gateway
  /** The partner's own calls to the service. */
  api: Api
  addresses: Record<string, string>
  close(): Promise<void>
}

/** Starts the service, a FHIR server, a pharmacy and pawl; `onLog` gets pawl's log, a JSON line at a time. */
export async function startStage({
  seed,
  onLog,
}: {
  seed: number | undefined
  onLog: (line: string) => void
}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-demo-'))
  const webhookSecret = randomBytes(32).toString('hex')
  const pharmacySecret = `whsec_${randomBytes(32).toString('base64')}`

  const sandbox = createSandbox({
    speed,
    ...(seed === undefined ? {} : { seed }),
    // The story decides the outcomes; chance has no part in it.
    detours: { awaitingProviderResponse: 0, validatingOutcome: 0 },
    organizations: [{ id: organization }],
  })
  const [service, fhir, pharmacy] = await Promise.all([
    sandbox.listen(),
    startFhirServer(),
    startPharmacyDesk(pharmacySecret),
  ])
  const token = await sandbox.issueToken(organization)
  const config = readConfig({
    PORT: '0',
    ADMIN_PORT: '0',
    WEBHOOK_SECRETS: webhookSecret,
    API_BASE_URL: service.url,
    API_TOKEN: token,
    DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    REST_MS: '100',
    FHIR_BASE_URL: fhir.url,
    PHARMACY_URL: pharmacy.url,
    PHARMACY_SECRET: pharmacySecret,
  })
  const log = createLog({ level: 'info', destination: { write: onLog } })
  const gateway = await startGateway(config, { log })
  const webhookUrl = `${gateway.url}/webhooks`
  sandbox.controls.putWebhook({ name: 'pawl', url: webhookUrl, secret: webhookSecret, bodyDigest: true }, organization)

  return {
    sandbox,
    fhir,
    pharmacy,
    gateway,
    api: createApi({ baseUrl: service.url, token }),
    addresses: {
      'the service (sandbox)': service.url,
      'its reference': `${service.url}/docs`,
      'its API token': token,
      'FHIR R4 server': `${fhir.url}/Task`,
      pharmacy: pharmacy.url,
      'pawl, webhooks': webhookUrl,
      'pawl, admin': `${gateway.adminUrl}/readyz`,
      'pawl, metrics': `${gateway.adminUrl}/metrics`,
      'pawl, ledger': config.databaseUrl,
    },
    async close() {
      await sandbox.close()
      await gateway.close()
      await Promise.all([fhir.close(), pharmacy.close()])
      await rm(folder, { recursive: true })
    },
  }
}
