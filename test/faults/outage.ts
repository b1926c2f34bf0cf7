import { setTimeout as sleep } from 'node:timers/promises'
import { startServices } from '../../packages/testing/src/services/start-services.ts'
import { createRandom } from '../../packages/sandbox/src/platform/random.ts'
import { readChartStates } from '../support/chart-states.ts'
import { groupBy } from '../../packages/ledger/src/hot/group-by.ts'
import { openLedgerRows, readRuns, untilNothingIsDue } from '../support/ledger-rows.ts'
import { preparePawl } from '../support/pawl-processes.ts'
import { startPlayedService } from '../support/played-service.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePatient,
  samplePriorAuthorization,
  sampleTransfer,
} from '../support/samples.ts'
import { until } from '../support/until.ts'
import { envelope } from '../support/webhook.ts'

export interface OutageOptions {
  /** Milliseconds for which chart and pharmacy answer 503. */
  outageMs: number
  cooldownMs: number
  /** Milliseconds between two changes at the service. Default 250. */
  everyMs?: number
  seed?: number
  /** Ledger and queue. Default: a SQLite file of its own, and the in-process queue. */
  setup?: Record<string, string>
  /** Told of each line that pawl prints. */
  onLine?: (line: string) => void
}

export interface OutageResult {
  acknowledged: number
  /** Runs during the outage that cost an attempt, as `handler code`, with their number. */
  spent: string[]
  /** The most attempts that any piece of work had lost when the outage was over. */
  mostAttempts: number
  parked: string[]
  /** Of each system: lines of the log that it is away, and that it is back. */
  told: Record<string, { away: number; back: number }>
  /** Steps of the alert of each system. */
  alerts: Record<string, string[]>
  /** Differences between chart and service. */
  differences: string[]
}

const resources = 60
const statuses = ['processing', 'awaiting_review', 'awaiting_outcome', 'validating_outcome'] as const
/** Codes of waits, which cost no attempt. */
const freeCodes = ['system_down', 'outage_unconfirmed', 'refusal_unconfirmed', 'handler_paused', 'system_paused']
const systems = ['ehr', 'pharmacy'] as const
/** With the seconds that it takes to look. */
const alertAfterMs = 75_000

/** The service's state of one PA; every third has a prescription transfer, and every fourth comes with a BV. */
interface Truth {
  id: string
  status: string
  messages: number
  transfer: string | undefined
}

/**
 * Takes chart and pharmacy away from pawl, with all of its shipped handlers, while PAs, messages, transfers and BVs keep changing, many of them in a way
 * that some handlers have nothing to write of; then brings them back, and says what the outage cost.
 */
export async function playOutage(options: OutageOptions): Promise<OutageResult> {
  const { outageMs, cooldownMs, everyMs = 250, seed = 1, setup, onLine = () => {} } = options
  const random = createRandom(seed)
  const truths = new Map<string, Truth>()
  const service = await startPlayedService(
    () => [pawls.url],
    (id) => {
      const truth = truths.get(id.replace('bv_req', 'pa_req'))
      return truth && (id.startsWith('bv') ? bvOf(truth) : paOf(truth))
    },
  )
  const { fhir, pharmacy, settings, ...services } = await startServices({ sandbox: {} })
  await fhir.admit(samplePatient)
  const pawls = await preparePawl({
    ...settings,
    // PAs of the sandbox do not go to and fro.
    API_BASE_URL: service.url,
    BREAKER_COOLDOWN_MS: String(cooldownMs),
    RETRY_BASE_MS: '2000',
    RETRY_MAX_MS: '3600000',
    RETRY_ATTEMPTS: '15',
    ALERT_AWAY_MINUTES: '1',
    ALERT_INTERVAL_MS: '1000',
    SWEEP_INTERVAL_MS: '500',
    ...setup,
  })
  const pawl = pawls.spawn()
  const over = new AbortController()
  const setDown = (down: boolean) => {
    fhir.setDown(down)
    pharmacy.setDown(down)
  }

  const tell = (data: { id: string }, eventType: string) => service.send(JSON.stringify(envelope(data, eventType)))

  let isHeld = false
  async function change(): Promise<void> {
    while (!over.signal.aborted) {
      if (isHeld) {
        await sleep(everyMs)
        continue
      }
      const n = Math.floor(random.next() * resources)
      const id = `pa_req_${n}`
      const isNew = !truths.has(id)
      const truth = truths.get(id) ?? { id, status: 'created', messages: 0, transfer: undefined }
      truths.set(id, truth)
      const kind = isNew
        ? 'status_change'
        : random.pick(['status_change', 'message', 'prescription_transfer_change'] as const)
      if (kind === 'status_change') truth.status = random.pick(statuses)
      if (kind === 'message') truth.messages += 1
      // Of a PA without a transfer such an event comes, too: there is nothing to write of it.
      if (kind === 'prescription_transfer_change' && n % 3 === 0)
        truth.transfer = random.pick(['in_progress', 'awaiting_provider_response'] as const)
      await tell(paOf(truth), `prior_authorization.${kind}`)
      if (n % 4 === 0) await tell(bvOf(truth), 'benefit_verification.status_change')
      await sleep(everyMs)
    }
  }

  async function moveTransfer(truth: Truth): Promise<void> {
    truth.transfer = truth.transfer === 'in_progress' ? 'awaiting_provider_response' : 'in_progress'
    await tell(paOf(truth), 'prior_authorization.prescription_transfer_change')
  }

  const ledger = async <T>(question: string) => {
    const rows = await openLedgerRows(pawls.databaseUrl)
    // The columns are those of the question.
    const found = (await rows.ask(question)) as T[]
    await rows.close()
    return found
  }
  async function quiet(): Promise<void> {
    const rows = await openLedgerRows(pawls.databaseUrl)
    await untilNothingIsDue(rows, 300_000)
    await rows.close()
  }
  const newsOf = async () =>
    (
      await ledger<{ subject: string; closed_at: number | null }>(
        `select subject, closed_at from alerts where kind = 'away' order by id`,
      )
    ).flatMap(({ subject, closed_at }) =>
      ['opened', ...(closed_at === null ? [] : ['over'])].map((change) => ({ subject, change })),
    )

  try {
    await pawl.ready()
    const changing = Promise.all([change(), change(), change()])
    await sleep(Math.min(10_000, outageMs / 4))
    // An answer of before that comes late would count as a success meanwhile.
    isHeld = true
    await quiet()
    const awayAt = Date.now()
    setDown(true)
    // A pharmacy that few call within two cooldowns is not known to be away.
    for (const truth of truths.values()) if (truth.transfer !== undefined) await moveTransfer(truth)
    isHeld = false
    await sleep(outageMs)
    if (outageMs > alertAfterMs)
      await until(
        'both alerts are open',
        async () => new Set((await newsOf()).map(({ subject }) => subject)).size === 2,
      )
    const [most] = await ledger<{ most: number | string | null }>('select max(attempts) as most from work')
    const backAt = Date.now()
    setDown(false)
    await sleep(Math.min(10_000, outageMs / 4))
    over.abort()
    await changing
    await quiet()
    const rows = await openLedgerRows(pawls.databaseUrl)
    const runs = await readRuns(rows)
    await rows.close()
    if (outageMs > alertAfterMs) await until('both are told to be back', async () => (await newsOf()).length >= 4)
    const lines = pawl.output().split('\n')
    const said = (system: string, message: string) =>
      lines.filter((line) => line.includes(`"${message}`) && line.includes(`"system":"${system}"`)).length
    const alerts: Record<string, string[]> = {}
    for (const { subject, change } of await newsOf()) (alerts[subject] ??= []).push(change)
    const spent = groupBy(
      runs.filter(
        ({ error, startedAt }) =>
          error !== undefined && startedAt >= awayAt && startedAt <= backAt && !freeCodes.includes(error.code),
      ),
      ({ handler, error }) => `${handler} ${error?.code}: ${error?.message}`,
    )
    const parked = await ledger<object>(
      `select id, handler, error_code from work join resources on number = resource where state = 'parked'`,
    )
    return {
      acknowledged: service.taken,
      spent: [...spent].map(([what, { length }]) => `${what}: ${length}`),
      // PostgreSQL gives a bigint as text.
      mostAttempts: Number(most?.most ?? 0),
      parked: parked.map((row) => Object.values(row).join(' ')),
      told: Object.fromEntries(
        systems.map((system) => [
          system,
          { away: said(system, 'a system is away'), back: said(system, 'a system is back') },
        ]),
      ),
      alerts,
      differences: differencesOf(await readChartStates(fhir), truths),
    }
  } finally {
    over.abort()
    await pawls.close()
    for (const line of pawl.output().split('\n')) onLine(line)
    await Promise.all([service.close(), services.close()])
  }
}

function paOf({ id, status, messages, transfer }: Truth) {
  return samplePriorAuthorization({
    id,
    status,
    message_thread: {
      is_resolved: false,
      messages: Array.from({ length: messages }, (_, n) =>
        sampleMessage({ id: `${id}_message_${n}`, attachments: [] }),
      ),
    },
    ...(transfer !== undefined && { prescription_transfer: sampleTransfer({ status: transfer }) }),
  })
}

function bvOf({ id }: Truth) {
  return sampleBenefitVerification({ id: id.replace('pa_req', 'bv_req') })
}

function differencesOf(held: ReadonlyMap<string, string | undefined>, truths: ReadonlyMap<string, Truth>): string[] {
  return [...truths.values()].flatMap(({ id, status }) => {
    const found = held.get(`prior-authorization ${id}`)
    return found === status ? [] : [`chart, ${id}: ${found} instead of ${status}`]
  })
}
