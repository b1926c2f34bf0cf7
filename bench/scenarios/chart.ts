import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from '../child.ts'
import { compare, medianOf } from '../compare.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { resourceIdOf, type State, webhookRequest } from '../envelopes.ts'
import { waitUntilFinished } from '../in-step.ts'
import { journeyLength, journeyState } from '../journey.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import { sendAtRate } from '../open-load.ts'
import { startPlayedApi } from '../played-api.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { percentile } from '../statistics.ts'
import { atMost } from '../targets.ts'
import { ours, written } from '../whole-receivers.ts'

const contenders = [written.sqlite, ours.sqlite]
/** PAs that make a journey. */
const pas = 6
/** Longer than a PA rests. */
const restMs = 700
/** Deliveries a second, and for how many seconds. */
const rates = [
  { perSecond: 5, seconds: 8 },
  { perSecond: 20, seconds: 6 },
  { perSecond: 50, seconds: 6 },
]
/** Half of the requests that pawl made for a PA's journey when they were first counted (49, 2026-11-23). */
const requestLimit = 24

/** Requests to a chart over HTTP, and the time until it is in sync. */
export const chart: Scenario = {
  name: 'chart',
  title:
    'A chart over HTTP, 40 ms a request and 20 at once: requests for a PA, and milliseconds from delivery to chart',
  contenders,
  async run(bench) {
    const { stage, pick } = bench
    const rows = await compare(
      (await bench.select(contenders)).map((spec) => ({
        name: spec.name,
        measure: () => measure(stage, spec, pick(1, 0.5)),
      })),
      bench,
    )
    return {
      columns: [
        { key: 'requests', title: 'requests a journey', digits: 1 },
        { key: 'writes', title: 'writes', digits: 1 },
        ...rates.flatMap(({ perSecond }) =>
          ['p50', 'p99'].map((part) => ({ key: `${part} at ${perSecond}`, title: `${part} at ${perSecond}/s` })),
        ),
      ],
      rows,
      targets: [
        atMost(
          `${ours.sqlite.name}: requests for a PA's journey`,
          medianOf(rows, ours.sqlite.name, 'requests'),
          requestLimit,
        ),
      ],
      notes: [
        `A journey: ${journeyLength} events, each worked off before the next, with a staff task and two messages. Times: each delivery on a PA of its own, in an open loop as in the scenario latency, until its PA is written.`,
        'The hand-written worker searches the patient in each job and puts each resource by its identifier: it compares nothing, and overwrites edits of staff.',
      ],
    }
  },
}

async function measure(stage: Stage, spec: ReceiverSpec, part: number): Promise<Record<string, number>> {
  const states = new Map<string, State>()
  const api = await startPlayedApi((pa) => states.get(resourceIdOf(pa)) ?? journeyState(pa, 0))
  const server = await stage.start('chart')
  const { env, dispose } = await spec.prepare(stage)
  const settings = { API_BASE_URL: api.url, FHIR_BASE_URL: `http://127.0.0.1:${server.port}` }
  const child = await stage.start(spec.script, { ...env, ...settings })
  try {
    const before = await readRequests(server)
    for (let version = 0; version < journeyLength; version += 1) {
      const now = Array.from({ length: pas }, (_, pa) => journeyState(pa, version))
      for (const state of now) states.set(resourceIdOf(state.pa), state)
      check(await sendAll(child.port, now.map(webhookRequest), connections))
      await waitUntilFinished(child, spec.script)
      await delay(restMs)
    }
    const after = await readRequests(server)
    const figures: Record<string, number> = {
      requests: (after.all - before.all) / pas,
      writes: (after.writes - before.writes) / pas,
    }
    let firstPa = pas
    for (const { perSecond, seconds } of rates) {
      const count = Math.round(perSecond * seconds * part)
      const times = await timeUntilWritten(child, spec, { firstPa, count, perSecond })
      figures[`p50 at ${perSecond}`] = percentile(times, 0.5)
      figures[`p99 at ${perSecond}`] = percentile(times, 0.99)
      firstPa += count
    }
    return figures
  } finally {
    await child.stop()
    await server.stop()
    await dispose()
    api.close()
  }
}

async function timeUntilWritten(
  child: Child,
  { script }: ReceiverSpec,
  { firstPa, count, perSecond }: { firstPa: number; count: number; perSecond: number },
): Promise<number[]> {
  const requests = Array.from({ length: count }, (_, n) => webhookRequest(journeyState(firstPa + n, 0)))
  const offered = await sendAtRate(child.port, requests, { perSecond, connections })
  await waitUntilFinished(child, script)
  const writtenAt = new Map((await child.ask('written')) as [string, number][]) // as recording-ehr.ts answers
  return offered.map(({ dueAt }, n) => (writtenAt.get(resourceIdOf(firstPa + n)) ?? NaN) - dueAt)
}

async function readRequests(server: Child): Promise<{ all: number; writes: number }> {
  const byKind = Object.entries((await server.ask('requests')) as Record<string, number>) // as chart.ts answers
  const sum = (some: typeof byKind) => some.reduce((total, [, times]) => total + times, 0)
  return { all: sum(byKind), writes: sum(byKind.filter(([kind]) => !kind.startsWith('GET '))) }
}
