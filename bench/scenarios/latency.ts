import { compare, medianOf } from '../compare.ts'
import type { Child } from '../child.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { resourceIdOf, webhookRequests } from '../envelopes.ts'
import { waitUntilFinished } from '../in-step.ts'
import { connections } from '../measure-receiver.ts'
import { type Offered, sendAtRate } from '../open-load.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { percentile } from '../statistics.ts'
import { atMost } from '../targets.ts'
import { ours, written } from '../whole-receivers.ts'

const perSecond = 200
const parts = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['longest', 1],
] as const

const contenders = [...Object.values(written), ...Object.values(ours)]
/** Milliseconds to the chart that one delivery in a hundred may exceed. */
const limits = [
  [ours.sqlite.name, 60],
  [ours.redis.name, 120],
  [ours.postgres.name, 150],
] as const

/** How long a sender waits, and how soon the chart is in step, where there is time enough for every delivery. */
export const latency: Scenario = {
  name: 'latency',
  title: `Milliseconds at ${perSecond} deliveries a second offered, each on a PA of its own, receiver and worker in one process`,
  contenders,
  async run(bench) {
    const { stage, pick } = bench
    const warmUp = 2 * perSecond
    const requests = webhookRequests({ count: warmUp + pick(8, 3) * perSecond })
    const api = await stage.start('played-api')
    const rows = await compare(
      (await bench.select(contenders)).map((spec) => ({
        name: spec.name,
        measure: () => measure(stage, spec, { api, requests, warmUp }),
      })),
      bench,
    )
    await api.stop()
    return {
      columns: ['acknowledged', 'written'].flatMap((what) =>
        parts.map(([name]) => ({ key: `${what} ${name}`, title: `${what} ${name}`, digits: 1 })),
      ),
      rows,
      targets: limits.map(([name, limit]) =>
        atMost(`${name}: p99 from delivery to chart`, medianOf(rows, name, 'written p99'), limit, ' ms'),
      ),
      notes: [
        'Open loop: a delivery goes out when it is due, whether or not earlier ones were answered, and its time counts from then, so that a stall is charged for all that came due in it.',
      ],
    }
  },
}

interface Work {
  api: Child
  requests: readonly Buffer[]
  warmUp: number
}

async function measure(stage: Stage, spec: ReceiverSpec, { api, requests, warmUp }: Work) {
  const { env, dispose } = await spec.prepare(stage)
  const child = await stage.start(spec.script, { ...env, API_BASE_URL: `http://127.0.0.1:${api.port}` })
  try {
    const offered = await sendAtRate(child.port, requests, { perSecond, connections })
    await waitUntilFinished(child, spec.script)
    const writtenAt = new Map((await child.ask('written')) as [string, number][]) // as recording-ehr.ts answers
    return summarize(offered, writtenAt, warmUp)
  } finally {
    await child.stop()
    await dispose()
  }
}

function summarize(offered: readonly Offered[], writtenAt: ReadonlyMap<string, number>, warmUp: number) {
  const measured = offered.slice(warmUp)
  const acknowledged = measured.map(({ answeredAfterMs }) => answeredAfterMs)
  const written = measured.map(({ dueAt }, index) => (writtenAt.get(resourceIdOf(warmUp + index)) ?? NaN) - dueAt)
  return Object.fromEntries(
    Object.entries({ acknowledged, written }).flatMap(([what, values]) =>
      parts.map(([name, part]): [string, number] => [`${what} ${name}`, percentile(values, part)]),
    ),
  )
}
