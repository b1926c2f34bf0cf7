import { setTimeout as sleep } from 'node:timers/promises'
import type { Hl7Message } from '@medplum/core'
import { startServices, type Services } from '../../packages/testing/src/services/start-services.ts'
import { createRandom, type Random } from '../../packages/sandbox/src/platform/random.ts'
import { readChartStates, readDocumentStates } from '../support/chart-states.ts'
import { type Answer, type Hl7Listener, startHl7Listener } from '../support/hl7-listener.ts'
import { openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
import { preparePawl } from '../support/pawl-processes.ts'
import { freePort, type PawlProcess } from '../support/spawn-pawl.ts'
import { startPlayedService } from '../support/played-service.ts'
import { samplePatient, samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'
import { envelope } from '../support/webhook.ts'

export interface KillLoopOptions {
  kills: number
  /** The same kills at the same moments. */
  seed: number
  /** Ledger and queue. Default: a SQLite file of its own, and the in-process queue. */
  setup?: Record<string, string>
  /** The chart takes documents by HL7 v2, and every tenth message gets no answer. Default: by FHIR. */
  hl7?: boolean
  /** Two processes share the ledger, and either is killed. */
  twice?: boolean
  onKill?: (killed: number) => void
}

export interface KillLoopResult {
  acknowledged: number
  /** With `hl7`: messages that arrived, and how many of them were repeated. */
  messages: { arrived: number; repeated: number }
  /** Differences of chart, pharmacy and ledger from the service; empty without a loss. */
  differences: string[]
  parked: string[]
}

const resources = 25
const statuses = ['processing', 'awaiting_review', 'awaiting_outcome', 'validating_outcome'] as const
const transferStatuses = ['in_progress', 'awaiting_provider_response'] as const

/** The service's state of one PA. */
interface Truth {
  id: string
  status: string
  transfer: string | undefined
}

/**
 * Kills pawl, with its shipped handlers, a real FHIR server or a listener of HL7 v2, and a pharmacy that drops copies by id, again and again while PAs change to and fro;
 * then lets it finish, and holds chart and pharmacy against the service.
 */
export async function runKillLoop(options: KillLoopOptions): Promise<KillLoopResult> {
  const { kills, seed, setup, hl7 = false, twice = false, onKill = () => {} } = options
  const random = createRandom(seed)
  const truths = new Map<string, Truth>()
  const service = await startPlayedService(
    () => places.map(({ PORT }) => `http://127.0.0.1:${PORT}`),
    (id) => {
      const truth = truths.get(id)
      return truth && dataOf(truth)
    },
  )
  const { fhir, pharmacy, settings, ...services } = await startServices({ sandbox: {} })
  const listener = hl7 ? await startHl7Listener() : undefined
  listener?.answer(loseSome(), { isStored: true })
  await fhir.admit(samplePatient)
  const pawls = await preparePawl({
    ...settings,
    // PAs of the sandbox do not go to and fro.
    API_BASE_URL: service.url,
    RETRY_ATTEMPTS: '15',
    LEASE_MS: '3000',
    ...(listener && { ...hl7Settings, EHR_URL: `mllp://127.0.0.1:${listener.port}` }),
    ...setup,
  })
  const places: [Place, ...Place[]] = [{ PORT: pawls.env.PORT ?? '' }]
  if (twice) places.push({ PORT: String(await freePort()) })
  const running = new Map<Place, PawlProcess>()
  const over = new AbortController()

  async function startAll(): Promise<void> {
    const missing = places.filter((place) => !running.has(place))
    await Promise.all(missing.map(async (place) => running.set(place, await pawls.start(place))))
  }

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
      await startAll()
      await sleep(random.between(50, 900))
      const place = random.pick(places)
      await running.get(place)?.end('SIGKILL')
      running.delete(place)
      onKill(killed + 1)
    }
    await startAll()
    over.abort()
    await changing
    const judged = await judge({ truths, fhir, pharmacy, listener }, pawls.databaseUrl)
    const ids = listener?.received.map((message) => message.header.getComponent(10, 1)) ?? []
    const messages = { arrived: ids.length, repeated: ids.length - new Set(ids).size }
    return { acknowledged: service.taken, messages, ...judged }
  } finally {
    over.abort()
    await pawls.close()
    await Promise.all([service.close(), services.close(), listener?.close()])
  }
}

/** The public listener of one process. */
type Place = { PORT: string }

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

const hl7Settings = {
  EHR_FILED_STATES: 'every',
  HL7_ACK_TIMEOUT_MS: '500',
  BREAKER_COOLDOWN_MS: '100',
  RETRY_MAX_MS: '500',
}

/** Stores every message, and leaves every tenth without an answer the first time: it is repeated. */
function loseSome(): (message: Hl7Message) => Answer | undefined {
  const seen = new Set<string>()
  return (message) => {
    const id = message.header.getComponent(10, 1)
    const isLost = !seen.has(id) && seen.size % 10 === 9
    seen.add(id)
    return isLost ? 'nothing' : undefined
  }
}

interface Judged extends Pick<Services, 'fhir' | 'pharmacy'> {
  truths: ReadonlyMap<string, Truth>
  listener: Hl7Listener | undefined
}

/** Waits until all work is done, and says what differs then. */
async function judge({ truths, fhir, pharmacy, listener }: Judged, databaseUrl: string) {
  const ledger = await openLedgerRows(databaseUrl)
  try {
    await untilNothingIsDue(ledger, 120_000)
    const parkedRows = await ledger.ask(
      `select id, error_code from work join resources on number = resource where state = 'parked'`,
    )
    const parked = parkedRows.map((row) => Object.values(row).join(' '))
    const stateOf = listener === undefined ? await readChartStates(fhir) : readDocumentStates(listener)
    const differences = listener === undefined ? [] : faultsOf(listener.received)
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

/** Messages that are repeated under one control id are the same but for today's words; every other one has numbers of its own. */
function faultsOf(received: readonly Hl7Message[]): string[] {
  const places = new Map<string, string>()
  const ids = new Map<string, string>()
  return received.flatMap((message) => {
    const id = message.header.getComponent(10, 1)
    const txa = message.getSegment('TXA')
    const event = message.header.getComponent(9, 2)
    const number = txa?.getComponent(12, 1) ?? ''
    const place = [event, number, txa?.getComponent(13, 1), message.header.getField(7).toString()].join(' ')
    const first = places.get(id) ?? place
    places.set(id, first)
    if (first !== place) return [`message ${id}: ${place} instead of ${first}`]
    const opening = event === 'T11' ? id : (ids.get(number) ?? id)
    if (event !== 'T11') ids.set(number, opening)
    return opening === id ? [] : [`document ${number}: sent as message ${opening} and as ${id}`]
  })
}
