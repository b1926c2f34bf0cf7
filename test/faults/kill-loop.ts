import { setTimeout as sleep } from 'node:timers/promises'
import { startServices, type Services } from '../../src/cli/dev/services/start-services.ts'
import { createRandom, type Random } from '../../src/sandbox/platform/random.ts'
import { readChartStates } from '../support/chart-states.ts'
import { openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
import { preparePawl } from '../support/pawl-processes.ts'
import { startPlayedService } from '../support/played-service.ts'
import { samplePatient, samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'
import { envelope } from '../support/webhook.ts'

export interface KillLoopOptions {
  kills: number
  /** The same kills at the same moments. */
  seed: number
  /** Ledger and queue. Default: a SQLite file of its own, and the in-process queue. */
  setup?: Record<string, string>
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
  const { kills, seed, setup, onKill = () => {} } = options
  const random = createRandom(seed)
  const truths = new Map<string, Truth>()
  const service = await startPlayedService(
    () => [pawls.url],
    (id) => {
      const truth = truths.get(id)
      return truth && dataOf(truth)
    },
  )
  const { fhir, pharmacy, settings, ...services } = await startServices({ sandbox: {} })
  await fhir.admit(samplePatient)
  const pawls = await preparePawl({
    ...settings,
    // PAs of the sandbox do not go to and fro.
    API_BASE_URL: service.url,
    RETRY_ATTEMPTS: '15',
    LEASE_MS: '3000',
    ...setup,
  })
  const over = new AbortController()

  async function change(): Promise<void> {
    while (!over.signal.aborted) {
      const { truth, changed } = nextTruth(truths, random)
      truths.set(truth.id, truth)
      if (changed !== undefined)
        await service.send(JSON.stringify(envelope(dataOf(truth), `prior_authorization.${changed}`)))
      await sleep(random.between(5, 40))
    }
  }

  try {
    const changing = Promise.all([change(), change(), change()])
    for (let killed = 0; killed < kills; killed += 1) {
      const pawl = await pawls.start()
      await sleep(random.between(50, 900))
      await pawl.end('SIGKILL')
      onKill(killed + 1)
    }
    await pawls.start()
    over.abort()
    await changing
    return { acknowledged: service.taken, ...(await judge({ truths, fhir, pharmacy }, pawls.databaseUrl)) }
  } finally {
    over.abort()
    await pawls.close()
    await Promise.all([service.close(), services.close()])
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

interface Judged extends Pick<Services, 'fhir' | 'pharmacy'> {
  truths: ReadonlyMap<string, Truth>
}

/** Waits until all work is done, and says what differs then. */
async function judge({ truths, fhir, pharmacy }: Judged, databaseUrl: string) {
  const ledger = await openLedgerRows(databaseUrl)
  try {
    await untilNothingIsDue(ledger, 120_000)
    const parkedRows = await ledger.ask(
      `select id, error_code from progress join resources on number = resource where state = 'parked'`,
    )
    const parked = parkedRows.map((row) => Object.values(row).join(' '))
    const stateOf = await readChartStates(fhir)
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
