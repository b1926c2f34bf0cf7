import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PharmacyDesk, startPharmacyDesk } from '../../src/cli/dev/services/pharmacy-desk.ts'
import { type FhirServer, startFhirServer } from '../../src/cli/dev/services/fhir-server.ts'
import { createRandom, type Random } from '../../src/sandbox/platform/random.ts'
import { startServer } from '../../src/base/net/server.ts'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { samplePatient, samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { openLedgerRows } from './ledger-rows.ts'

export interface KillLoopOptions {
  kills: number
  /** The same kills at the same moments. */
  seed: number
  /** Default: a SQLite file of its own. */
  databaseUrl?: string
  /** Default: the in-process queue. */
  queueUrl?: string
  onKill?: (killed: number) => void
}

export interface KillLoopResult {
  acknowledged: number
  /** What chart, pharmacy and ledger hold otherwise than the service; empty when nothing was lost. */
  differences: string[]
  parked: string[]
}

const resources = 25
const statuses = ['processing', 'awaiting_review', 'awaiting_outcome', 'validating_outcome'] as const
const transferStatuses = ['in_progress', 'awaiting_provider_response'] as const

/** What the service holds of one PA. */
interface Truth {
  id: string
  status: string
  transfer: string | undefined
}

/**
 * Kills pawl, with its shipped handlers, a real FHIR server and a pharmacy that drops copies by id, again and again while PAs change to and fro;
 * then lets it finish, and holds chart and pharmacy against the service.
 */
export async function runKillLoop(options: KillLoopOptions): Promise<KillLoopResult> {
  const { kills, seed, onKill = () => {} } = options
  const random = createRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'pawl-kills-'))
  const databaseUrl = options.databaseUrl ?? `file:${join(folder, 'pawl.db')}`
  const truths = new Map<string, Truth>()
  const service = await startServer(
    (req, res) => {
      const truth = truths.get(req.url?.split('/').at(-1) ?? '')
      const body = truth === undefined ? { detail: 'unknown' } : { status: 'success', error: null, data: dataOf(truth) }
      res.writeHead(truth === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
    { host: '127.0.0.1', port: 0 },
  )
  const pharmacySecret = `whsec_${Buffer.from('a secret of this loop alone, no other').toString('base64')}`
  const [chart, pharmacy] = [await startFhirServer(), await startPharmacyDesk(pharmacySecret)]
  await chart.admit(samplePatient)
  const port = await freePort()
  const env = await testEnvironment({
    DATABASE_URL: databaseUrl,
    ...(options.queueUrl !== undefined && { QUEUE_URL: options.queueUrl }),
    PORT: String(port),
    LOG_LEVEL: 'info',
    API_BASE_URL: service.url,
    FHIR_BASE_URL: chart.url,
    PHARMACY_URL: pharmacy.url,
    PHARMACY_SECRET: pharmacySecret,
    RETRY_ATTEMPTS: '15',
    LEASE_MS: '3000',
  })
  let acknowledged = 0
  const over = new AbortController()

  /** Sends one webhook until it is taken, as the service may. */
  async function tell(truth: Truth, eventType: string): Promise<void> {
    const body = JSON.stringify(envelope({ ...dataOf(truth), id: truth.id }, eventType))
    for (;;) {
      const answer = await deliver(`http://127.0.0.1:${port}`, body).catch(() => undefined)
      if (answer?.ok === true) break
      await sleep(20)
    }
    acknowledged += 1
  }

  async function change(): Promise<void> {
    while (!over.signal.aborted) {
      const { truth, changed } = nextTruth(truths, random)
      truths.set(truth.id, truth)
      if (changed !== undefined) await tell(truth, `prior_authorization.${changed}`)
      await sleep(random.between(5, 40))
    }
  }

  let pawl: PawlProcess | undefined
  try {
    const changing = Promise.all([change(), change(), change()])
    for (let killed = 0; killed < kills; killed += 1) {
      pawl = spawnPawl(env)
      await pawl.ready()
      await sleep(random.between(50, 900))
      pawl.child.kill('SIGKILL')
      await pawl.exited
      onKill(killed + 1)
    }
    pawl = spawnPawl(env)
    await pawl.ready()
    over.abort()
    await changing
    return { acknowledged, ...(await judge({ truths, chart, pharmacy, databaseUrl })) }
  } finally {
    over.abort()
    pawl?.child.kill('SIGKILL')
    await pawl?.exited
    await Promise.all([service.close(0), chart.close(), pharmacy.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

/** One PA moves on: to and fro between the states that a PA and its transfer may go back to. */
function nextTruth(truths: ReadonlyMap<string, Truth>, random: Random) {
  const id = `pa_req_${Math.floor(random.next() * resources)}`
  const known: Truth = truths.get(id) ?? { id, status: 'created', transfer: undefined }
  const truth = { ...known }
  if (known.status === 'created' || random.chance(0.5)) truth.status = random.pick(statuses)
  else truth.transfer = random.pick(transferStatuses)
  const changed =
    truth.status !== known.status
      ? 'status_change'
      : truth.transfer !== known.transfer
        ? 'prescription_transfer_change'
        : undefined
  return { truth, changed }
}

function dataOf({ id, status, transfer }: Truth) {
  return samplePriorAuthorization({
    id,
    status,
    ...(transfer !== undefined && { prescription_transfer: sampleTransfer({ status: transfer }) }),
  })
}

interface Judged {
  truths: ReadonlyMap<string, Truth>
  chart: FhirServer
  pharmacy: PharmacyDesk
  databaseUrl: string
}

/** Waits until all work is done, and says what differs then. */
async function judge({ truths, chart, pharmacy, databaseUrl }: Judged) {
  const ledger = await openLedgerRows(databaseUrl)
  try {
    const due = () => ledger.ask('select id from resources where due_at is not null')
    await until('nothing is due', async () => (await due()).length === 0, 120_000)
    const parkedRows = await ledger.ask(`select resource_id, error_code from progress where state = 'parked'`)
    const parked = parkedRows.map((row) => Object.values(row).join(' '))
    const stateOf = new Map(
      (await chart.search('Task')).flatMap((task) =>
        (task.identifier ?? []).map(({ system, value }) => [
          `${system?.split('/').at(-1)} ${value}`,
          task.businessStatus?.text,
        ]),
      ),
    )
    const differences: string[] = []
    const compare = (what: string, held: string | undefined, wanted: string | undefined) => {
      if (held !== wanted) differences.push(`${what}: ${held} instead of ${wanted}`)
    }
    for (const { id, status, transfer } of truths.values()) {
      compare(`chart, ${id}`, stateOf.get(`prior-authorization ${id}`), status)
      compare(`chart, transfer of ${id}`, stateOf.get(`prescription-transfer ${id}`), transfer)
      compare(`pharmacy, ${id}`, pharmacy.transfers.get(id)?.status, transfer)
    }
    return { differences, parked }
  } finally {
    await ledger.close()
  }
}
