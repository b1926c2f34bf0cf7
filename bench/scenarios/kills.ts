import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../packages/sandbox/src/platform/random.ts'
import { answerReader } from '../answer-reader.ts'
import type { Child } from '../child.ts'
import { compare, medianOf } from '../compare.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { resourceIdOf, webhookRequest } from '../envelopes.ts'
import { journeyState } from '../journey.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import { monotonicMs } from '../monotonic.ts'
import { startPlayedApi } from '../played-api.ts'
import type { Bench, Scenario } from '../scenario.ts'
import { atMost } from '../targets.ts'
import { flows, ours, written } from '../whole-receivers.ts'

const contenders = [flows.first, flows.last, written.plain, written.pgBossPlain, ours.sqlite, ours.postgres]
/** Deliveries under way at once while it is killed again and again. */
const senders = 16
/** A sender tries a delivery again after this. */
const retryMs = 100
/** It is killed between these times after it listens. */
const kill = { earliestMs: 200, latestMs: 1_500 }
/** The chart is read once nothing new came into it for so long. */
const quietMs = 60_000

/** Whether what was acknowledged reaches the chart, though the process is killed. */
export const kills: Scenario = {
  name: 'kills',
  title:
    'PAs a second into a chart of 40 ms; then PAs that were acknowledged and are missing in the chart, and resources written twice, after kills of the process',
  contenders,
  async run(bench) {
    const rounds = { ...bench, rounds: 1 }
    const rows = await compare(
      (await bench.select(contenders)).map((spec) => ({ name: spec.name, measure: () => measure(bench, spec) })),
      rounds,
    )
    const missing = (name: string) => atMost(`${name}: missing`, medianOf(rows, name, 'missing'), 0, ' PAs')
    return {
      columns: [
        { key: 'rate', title: 'PAs a second' },
        { key: 'acknowledged', title: 'acknowledged' },
        { key: 'missing', title: 'missing' },
        { key: 'twice', title: 'written twice' },
      ],
      rows,
      targets: [missing(ours.sqlite.name), missing(ours.postgres.name)],
      notes: [
        `The process alone is killed (SIGKILL), and started again at once; Redis and PostgreSQL stay. A delivery is sent until it is answered with 2xx. Missing: not in the chart ${quietMs / 1_000} s after the last that came; pg-boss takes up a job of a dead worker after 15 minutes.`,
        "Node-RED writes one document a PA, the others what a PA's state needs.",
      ],
    }
  },
}

async function measure({ stage, pick, say }: Bench, spec: ReceiverSpec): Promise<Record<string, number>> {
  const api = await startPlayedApi((pa) => journeyState(pa, 0))
  const chart = await stage.start('chart')
  const { env, dispose } = await spec.prepare(stage)
  const start = () =>
    stage.start(spec.script, {
      ...env,
      API_BASE_URL: api.url,
      FHIR_BASE_URL: `http://127.0.0.1:${chart.port}`,
      CONCURRENCY: '64',
      QUIET: 'yes',
    })
  let child = await start()
  try {
    const count = pick(800, 60)
    const startedAt = monotonicMs()
    const pas = Array.from({ length: count }, (_, pa) => pa)
    check(await sendAll(child.port, pas.map(requestOf), connections))
    const { lastAt } = await untilThere(chart, pas)
    const twiceBefore = Number(await chart.ask('rewrites'))

    const load = sendUntilEnd(() => child.port, count)
    const random = createRandom(count)
    for (let killed = 0, all = pick(20, 2); killed < all; killed += 1) {
      await delay(random.between(kill.earliestMs, kill.latestMs))
      await child.stop()
      say(`killed ${killed + 1} of ${all}`)
      child = await start()
    }
    const acknowledged = await load.end()
    const { missing } = await untilThere(chart, acknowledged)
    return {
      rate: count / ((lastAt - startedAt) / 1_000),
      acknowledged: acknowledged.length,
      missing,
      twice: Number(await chart.ask('rewrites')) - twiceBefore,
    }
  } finally {
    await child.stop()
    await dispose()
    await chart.stop()
    api.close()
  }
}

const requestOf = (pa: number) => webhookRequest(journeyState(pa, 0))

/** Waits until documents of all these PAs are in the chart, or nothing new has come for a while. */
async function untilThere(chart: Child, pas: readonly number[]): Promise<{ missing: number; lastAt: number }> {
  let [missing, lastAt] = [Infinity, monotonicMs()]
  while (missing > 0 && monotonicMs() < lastAt + quietMs) {
    await delay(50)
    const identifiers = (await chart.ask('identifiers')) as string[] // as chart.ts answers
    const there = new Set(
      identifiers.flatMap((each) =>
        each.startsWith('DocumentReference ') ? (/pa_req_\w+/.exec(each)?.[0] ?? []) : [],
      ),
    )
    const left = pas.filter((pa) => !there.has(resourceIdOf(pa))).length
    if (left < missing) [missing, lastAt] = [left, monotonicMs()]
  }
  return { missing, lastAt }
}

/** Sends deliveries of new PAs, each until it is acknowledged; at the end resolves with the acknowledged PAs. */
function sendUntilEnd(port: () => number, firstPa: number) {
  const acknowledged: number[] = []
  let next = firstPa
  const over = new AbortController()
  const running = Promise.all(Array.from({ length: senders }, () => send()))

  async function send(): Promise<void> {
    while (!over.signal.aborted) {
      const pa = next++
      // What is under way at the end is sent until it is answered, too.
      while (!(await deliver(port(), requestOf(pa)))) await delay(retryMs)
      acknowledged.push(pa)
    }
  }

  return {
    async end(): Promise<readonly number[]> {
      over.abort()
      await running
      return acknowledged
    },
  }
}

/** Whether the delivery was answered with 2xx. */
function deliver(port: number, request: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const read = answerReader()
    const end = (isTaken: boolean) => {
      socket.destroy()
      resolve(isTaken)
    }
    socket.on('error', () => end(false)).on('close', () => end(false))
    socket.on('data', (chunk) => {
      const status = read(chunk)
      if (status !== undefined) end(status < 300)
    })
  })
}
