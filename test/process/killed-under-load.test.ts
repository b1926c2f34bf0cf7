import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createApi } from '../../packages/client/src/api/client.ts'
import { startServices } from '../../packages/testing/src/services/start-services.ts'
import { ndpSubmission, priorAuthorization } from '../../packages/sandbox/test/requests.ts'
import { readChartStates } from '../support/chart-states.ts'
import { findUnstored, openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
import { preparePawl } from '../support/pawl-processes.ts'
import { webhookSecret } from '../support/webhook.ts'

const rounds = 6
const resourcesPerRound = 12

it('killed again and again under load, loses no acknowledged delivery, and gets every resource in sync', async () => {
  // A fixed seed for what the service does and for when the process is killed.
  const { sandbox, fhir, settings, ...services } = await startServices({
    sandbox: {
      speed: 60_000,
      seed: 7,
      webhooks: { retryBaseMs: 50, retryMaxMs: 400, maxAttempts: 1_000 },
    },
  })
  onTestFinished(services.close)
  const pawls = await preparePawl({
    // Longer than the chart of this test takes on a busy machine, whose memory is searched from end to end.
    LEASE_MS: '10000',
    RETRY_ATTEMPTS: '1000',
    ...settings,
  })
  onTestFinished(pawls.close)
  sandbox.controls.putWebhook({ name: 'pawl', url: `${pawls.url}/webhooks`, secret: webhookSecret })
  const api = createApi({ baseUrl: sandbox.url, token: sandbox.token })

  for (let round = 0; round < rounds; round += 1) {
    const pawl = await pawls.start()
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
    await pawl.end('SIGKILL')
  }
  await pawls.start()
  await sandbox.settled()
  const ledger = await openLedgerRows(pawls.databaseUrl)
  const one = async (sql: string) => Number(Object.values((await ledger.ask(sql))[0] ?? {})[0])
  await untilNothingIsDue(ledger, 200_000)

  const acknowledged = sandbox.controls.deliveries().filter(({ state }) => state === 'delivered')
  expect(acknowledged.length).toBeGreaterThan(rounds * resourcesPerRound * 3)
  const bodies = acknowledged.map(({ body }) => body)
  expect(await findUnstored(ledger, bodies)).toEqual([])
  expect(await one('select coalesce(sum(repeats), 0) + count(*) from events')).toBeGreaterThanOrEqual(
    acknowledged.length,
  )
  expect(await one("select count(*) from progress where state <> 'synced'")).toBe(0)
  await ledger.close()

  const chart = await readChartStates(fhir)
  const truth = sandbox.truth().prior_authorizations
  expect(truth).toHaveLength(rounds * resourcesPerRound)
  expect(truth.map(({ id }) => [id, chart.get(`prior-authorization ${id}`)])).toEqual(
    truth.map(({ id, status }) => [id, status]),
  )
})
