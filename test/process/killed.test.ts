import { setTimeout as sleep } from 'node:timers/promises'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, it } from 'vitest'
import { createApi } from '../../src/service/client/client.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { ndpSubmission, priorAuthorization } from '../sandbox/requests.ts'
import { type FhirServer, startFhirServer } from '../../src/cli/dev/services/fhir-server.ts'
import { findUnstored, openLedgerRows } from '../faults/ledger-rows.ts'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { webhookSecret } from '../support/webhook.ts'

const rounds = 6
const resourcesPerRound = 12

let sandbox: Sandbox
let fhir: FhirServer
let pawl: PawlProcess | undefined
let databasePath: string

afterEach(async () => {
  pawl?.child.kill('SIGKILL')
  await pawl?.exited
  await Promise.all([sandbox.close(), fhir.close()])
  await rm(dirname(databasePath), { recursive: true, force: true })
})

it('killed again and again under load, has lost nothing that it acknowledged, and gets every resource in step', async () => {
  // A fixed seed for what the service does and for when the process is killed.
  sandbox = createSandbox({
    speed: 60_000,
    seed: 7,
    webhooks: { retryBaseMs: 50, retryMaxMs: 400, maxAttempts: 1_000 },
  })
  const service = await sandbox.listen()
  fhir = await startFhirServer()
  const port = await freePort()
  const token = await sandbox.issueToken()
  const env = await testEnvironment({
    PORT: String(port),
    LOG_LEVEL: 'info',
    // Longer than the chart of this test takes on a busy machine, whose memory is searched from end to end.
    LEASE_MS: '10000',
    RETRY_ATTEMPTS: '1000',
    API_BASE_URL: service.url,
    API_TOKEN: token,
    FHIR_BASE_URL: fhir.url,
  })
  databasePath = env.DATABASE_URL?.slice('file:'.length) ?? ''
  sandbox.controls.putWebhook({ name: 'pawl', url: `http://127.0.0.1:${port}/webhooks`, secret: webhookSecret })
  const api = createApi({ baseUrl: service.url, token })

  for (let round = 0; round < rounds; round += 1) {
    pawl = spawnPawl(env)
    await pawl.ready()
    await Promise.all(
      Array.from({ length: resourcesPerRound }, (_, index) =>
        api.createPriorAuthorization(
          priorAuthorization(
            index % 2 === 0
              ? { ndp_submission: { ...ndpSubmission, prescription_message_id: `rx-${round}-${index}` } }
              : {},
          ),
        ),
      ),
    )
    await sleep((round * 137) % 500)
    pawl.child.kill('SIGKILL')
    await pawl.exited
  }
  pawl = spawnPawl(env)
  await pawl.ready()
  await sandbox.settled()
  const database = new Database(databasePath, { readonly: true })
  const one = (sql: string) => Number(database.prepare(sql).pluck().get())
  await until('nothing is due', () => one('select count(*) from resources where due_at is not null') === 0, 200_000)

  const acknowledged = sandbox.controls.deliveries().filter(({ state }) => state === 'delivered')
  expect(acknowledged.length).toBeGreaterThan(rounds * resourcesPerRound * 3)
  const ledger = await openLedgerRows(`file:${databasePath}`)
  const bodies = acknowledged.map(({ body }) => body)
  expect(await findUnstored(ledger, bodies)).toEqual([])
  await ledger.close()
  expect(one('select coalesce(sum(repeats), 0) + count(*) from events')).toBeGreaterThanOrEqual(acknowledged.length)
  expect(one("select count(*) from progress where state <> 'synced'")).toBe(0)
  database.close()

  const chart = new Map<string | undefined, string | undefined>()
  for (const { identifier, businessStatus } of await fhir.search('Task')) {
    // A PA's transfer and its staff task have Tasks of their own, under the same id and another system.
    const own = identifier?.find(({ system }) => system?.endsWith('/prior-authorization'))
    if (own !== undefined) chart.set(own.value, businessStatus?.text)
  }
  const truth = sandbox.truth().prior_authorizations
  expect(truth).toHaveLength(rounds * resourcesPerRound)
  expect(truth.map(({ id }) => [id, chart.get(id)])).toEqual(truth.map(({ id, status }) => [id, status]))
})
