import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from '../child.ts'
import { compare, medianOf } from '../compare.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { readPeakBytes } from '../cpu.ts'
import { resourceIdOf, type State, webhookRequest } from '../envelopes.ts'
import { waitUntilFinished } from '../in-sync.ts'
import { journeyLength, journeyState } from '../journey.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import { monotonicMs } from '../monotonic.ts'
import { sendAtRate } from '../open-load.ts'
import { startPlayedApi } from '../played-api.ts'
import type { Bench, Scenario } from '../scenario.ts'
import { percentile } from '../statistics.ts'
import { atMost } from '../targets.ts'
import { startContender } from '../turns.ts'
import { ours, written } from '../whole-receivers.ts'

const contenders = [written.plain, ours.sqlite, ours.redis, ours.postgres]
/** PAs that make a journey. */
const pas = 6
/** Longer than a PA rests. */
const restMs = 700
const perSecond = 200
const outage = { perSecond: 50, seconds: 30 }
const megabyte = 2 ** 20
/** Milliseconds to a chart in memory that one delivery in a hundred may exceed. */
const limits = [
  [ours.sqlite.name, 36],
  [ours.redis.name, 45],
  [ours.postgres.name, 60],
] as const
const columns = [
  { key: 'memory p99', title: 'p99, chart in memory' },
  { key: 'p50', title: 'p50, chart of 40 ms' },
  { key: 'p99', title: 'p99' },
  { key: 'acknowledged p99', title: 'acknowledged p99' },
  { key: 'reads', title: 'API a journey', digits: 1 },
  { key: 'requests', title: 'chart a journey', digits: 1 },
  { key: 'writes', title: 'of them writes', digits: 1 },
  { key: 'drainS', title: 'drained in s', digits: 1 },
  { key: 'lost', title: 'lost' },
  { key: 'rssMb', title: 'peak MB' },
]

/** What people notice: how soon the chart is in sync, how much is asked of the other systems, and how an outage ends. */
export const users: Scenario = {
  name: 'users',
  title: `Milliseconds from delivery to chart at ${perSecond} deliveries a second, requests of a PA's journey, and the end of an outage of the chart`,
  contenders,
  async run(bench) {
    const rows = await compare(
      (await bench.select(contenders)).map((spec) => ({ name: spec.name, measure: () => measure(bench, spec) })),
      bench,
    )
    return {
      columns,
      rows,
      targets: [
        ...limits.map(([name, limit]) =>
          atMost(`${name}: p99 to a chart in memory`, medianOf(rows, name, 'memory p99'), limit, ' ms'),
        ),
        atMost(`${ours.sqlite.name}: peak memory`, medianOf(rows, ours.sqlite.name, 'rssMb'), 300, ' MB'),
      ],
      notes: [
        'Open loop: a delivery, each of a PA of its own, goes out when it is due, and its time counts from then, so that a stall is charged for all that came due in it. All have CONCURRENCY=64.',
        `A journey: ${journeyLength} events, each worked off before the next, with a staff task and two messages.`,
        `The outage: the chart answers 503 for ${outage.seconds} s while ${outage.perSecond} new PAs a second come. Drained: from its end until all is in sync. A job written by hand is attempted once; those that failed are lost.`,
      ],
    }
  },
}

async function measure(bench: Bench, spec: ReceiverSpec): Promise<Record<string, number>> {
  bench.say('a chart in memory')
  const inMemory = await withContender(bench, spec, undefined, ({ child, send }) => offer(bench, child, spec, send))
  const chart = await bench.stage.start('chart')
  const figures = await withContender(bench, spec, chart, async ({ child, states, reads, send }) => {
    const journey = await measureJourney(child, spec, { chart, states, reads })
    bench.say('a chart of 40 ms')
    const offered = await offer(bench, child, spec, send)
    bench.say('an outage of the chart')
    const drained = await measureOutage(bench, child, spec, { chart, send })
    return { ...journey, ...offered, ...drained, rssMb: readPeakBytes(child.pid) / megabyte }
  })
  await chart.stop()
  return { ...figures, 'memory p99': inMemory.p99 }
}

interface Up {
  child: Child
  states: Map<string, State>
  reads(): number
  /** Sends so many deliveries, each of a PA that no other was about; resolves with the times at which they were due, by PA. */
  send: Send
}
type Send = (count: number, rate: number) => Promise<{ id: string; dueAt: number; answeredAfterMs: number }[]>

async function withContender<T>(
  { stage }: Bench,
  spec: ReceiverSpec,
  chart: Child | undefined,
  use: (up: Up) => Promise<T>,
): Promise<T> {
  const states = new Map<string, State>()
  const api = await startPlayedApi((pa) => states.get(resourceIdOf(pa)) ?? journeyState(pa, 0))
  const { child, stop } = await startContender(stage, spec, {
    API_BASE_URL: api.url,
    CONCURRENCY: '64',
    QUIET: 'yes',
    ...(chart !== undefined && { FHIR_BASE_URL: `http://127.0.0.1:${chart.port}` }),
  })
  let firstPa = pas
  const send: Send = async (count, rate) => {
    const from = firstPa
    firstPa += count
    const requests = Array.from({ length: count }, (_, n) => webhookRequest(journeyState(from + n, 0)))
    const offered = await sendAtRate(child.port, requests, { perSecond: rate, connections })
    return offered.map((each, n) => ({ ...each, id: resourceIdOf(from + n) }))
  }
  try {
    return await use({ child, states, reads: api.reads, send })
  } finally {
    await stop()
    api.close()
  }
}

/** After two seconds that warm up. */
async function offer({ pick }: Bench, child: Child, { script }: ReceiverSpec, send: Send) {
  const warmUp = 2 * perSecond
  const offered = await send(warmUp + pick(8, 3) * perSecond, perSecond)
  await waitUntilFinished(child, script)
  const writtenAt = new Map((await child.ask('written')) as [string, number][]) // as recording-ehr.ts answers
  const measured = offered.slice(warmUp)
  const times = measured.map(({ id, dueAt }) => (writtenAt.get(id) ?? NaN) - dueAt)
  const acknowledged = measured.map(({ answeredAfterMs }) => answeredAfterMs)
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    'acknowledged p99': percentile(acknowledged, 0.99),
  }
}

async function measureJourney(
  child: Child,
  { script }: ReceiverSpec,
  { chart, states, reads }: { chart: Child; states: Map<string, State>; reads(): number },
) {
  const [before, readsBefore] = [await readRequests(chart), reads()]
  for (let version = 0; version < journeyLength; version += 1) {
    const now = Array.from({ length: pas }, (_, pa) => journeyState(pa, version))
    for (const state of now) states.set(resourceIdOf(state.pa), state)
    check(await sendAll(child.port, now.map(webhookRequest), connections))
    await waitUntilFinished(child, script)
    await delay(restMs)
  }
  const after = await readRequests(chart)
  return {
    reads: (reads() - readsBefore) / pas,
    requests: (after.all - before.all) / pas,
    writes: (after.writes - before.writes) / pas,
  }
}

async function measureOutage(
  { pick }: Bench,
  child: Child,
  { script }: ReceiverSpec,
  { chart, send }: { chart: Child; send: Send },
) {
  await chart.ask('down')
  await send(pick(outage.seconds, 5) * outage.perSecond, outage.perSecond)
  await chart.ask('up')
  const from = monotonicMs()
  await waitUntilFinished(child, script)
  const lost = script === 'pawl' ? 0 : Number(await child.ask('failed'))
  return { drainS: lost > 0 ? NaN : (monotonicMs() - from) / 1_000, lost }
}

async function readRequests(chart: Child): Promise<{ all: number; writes: number }> {
  const byKind = Object.entries((await chart.ask('requests')) as Record<string, number>) // as chart.ts answers
  const sum = (some: typeof byKind) => some.reduce((total, [, times]) => total + times, 0)
  return { all: sum(byKind), writes: sum(byKind.filter(([kind]) => !kind.startsWith('GET '))) }
}
