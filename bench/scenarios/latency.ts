import { compare } from '../compare.ts'
import type { Child } from '../child.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { resourceIdOf, webhookRequests } from '../envelopes.ts'
import { waitUntilFinished } from '../in-step.ts'
import { connections } from '../measure-receiver.ts'
import { type Offered, sendAtRate } from '../open-load.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { percentile } from '../statistics.ts'
import { ours, written } from '../whole-receivers.ts'

const perSecond = 200
const parts = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

const contenders = [written.sqlite, written.pgBoss, written.graphileWorker, ours.sqlite, ours.redis, ours.postgres]

/** How long a sender waits, and how soon the chart is in step, where there is time enough for every delivery. */
export const latency: Scenario = {
  name: 'latency',
  title: `Milliseconds at ${perSecond} deliveries a second offered, each on a PA of its own, receiver and worker in one process`,
  async run(bench) {
    const { stage, pick } = bench
    const warmUp = pick(5, 2) * perSecond
    const requests = webhookRequests({ count: warmUp + pick(30, 5) * perSecond })
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
      targets: [],
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
    await waitUntilFinished(child, spec.script, requests.length)
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
