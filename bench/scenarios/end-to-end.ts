import { compare } from '../compare.ts'
import type { Child } from '../child.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { warmUpRequests, webhookRequests } from '../envelopes.ts'
import { readDone, waitUntilFinished } from '../in-step.ts'
import { check, connections } from '../measure-receiver.ts'
import { sendAll } from '../load.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { atLeast } from '../targets.ts'
import { ours, written } from '../whole-receivers.ts'

const contenders = [...Object.values(written), ...Object.values(ours)]
const writtenOnPostgres = [written.pgBoss.name, written.graphileWorker.name]
const oneEach = { key: 'rate', where: '1 event a PA' }
const fiveEach = { key: 'rateOfFive', where: '5 events a PA' }

/** From the first delivery sent to the last one in step: received, stored, read from the API, written to the chart, recorded. */
export const endToEnd: Scenario = {
  name: 'end-to-end',
  title: 'Deliveries brought into step a second, receiver and worker in one process, a played API, the chart in memory',
  async run(bench) {
    const { stage, pick } = bench
    const warmUp = warmUpRequests(pick(3_000, 200))
    const own = webhookRequests({ count: pick(6_000, 600) })
    const shared = webhookRequests({ count: pick(15_000, 1_500), eventsEach: 5 })
    const api = await stage.start('played-api')
    const rows = await compare(
      (await bench.select(contenders)).map((spec) => ({
        name: spec.name,
        async measure() {
          const one = await measure(stage, spec, { api, warmUp, requests: own })
          const five = await measure(stage, spec, { api, warmUp, requests: shared })
          return {
            rate: one.rate,
            cpuMicros: one.cpuMicros,
            reads: one.reads,
            rateOfFive: five.rate,
            readsOfFive: five.reads,
          }
        },
      })),
      bench,
    )
    await api.stop()
    return {
      columns: [
        { key: 'rate', title: 'deliveries/s, 1 a PA' },
        { key: 'cpuMicros', title: 'CPU us each' },
        { key: 'reads', title: 'GETs each', digits: 2 },
        { key: 'rateOfFive', title: 'deliveries/s, 5 a PA' },
        { key: 'readsOfFive', title: 'GETs each', digits: 2 },
      ],
      ratios: [
        { title: 'x, 1 a PA', key: 'rate', to: written.sqlite.name },
        { title: 'x, 5 a PA', key: 'rateOfFive', to: written.sqlite.name },
      ],
      rows,
      targets: [
        atLeast(rows, { ...oneEach, contender: ours.sqlite.name, to: written.sqlite.name }, 1),
        atLeast(rows, { ...fiveEach, contender: ours.sqlite.name, to: written.sqlite.name }, 2.5),
        atLeast(rows, { ...oneEach, contender: ours.postgres.name, to: ours.sqlite.name }, 0.7),
        atLeast(rows, { ...oneEach, contender: ours.postgres.name, to: writtenOnPostgres }, 1.5),
        atLeast(rows, { ...fiveEach, contender: ours.postgres.name, to: writtenOnPostgres }, 3),
      ],
      notes: [
        'The hand-written workers record neither snapshot, progress nor audit trail; pawl does, in the same time.',
        'They work each job, though pg-boss and graphile-worker could queue one job for several events of a PA (singletonKey, job_key). They commit an event and its job one after the other, pawl both at once.',
        'PostgreSQL waits for its disk at every commit (fsync and synchronous_commit are on), as pawl does on SQLite; CPU us each are those of the measured process, without PostgreSQL and Redis.',
        'With 1 event a PA nothing can be worked off together: the worst case for pawl. With 5, pawl reads and writes once for what rang together.',
      ],
    }
  },
}

interface Work {
  api: Child
  warmUp: readonly Buffer[]
  requests: readonly Buffer[]
}

async function measure(stage: Stage, spec: ReceiverSpec, { api, warmUp, requests }: Work) {
  const { env, dispose } = await spec.prepare(stage)
  const child = await stage.start(spec.script, { ...env, API_BASE_URL: `http://127.0.0.1:${api.port}` })
  const finished = (deliveries: number) => waitUntilFinished(child, spec.script, deliveries)
  try {
    check(await sendAll(child.port, warmUp, connections))
    await finished(warmUp.length)
    const [usageBefore, readsBefore] = [await child.ask('usage'), Number(await api.ask('reads'))]
    const startedAt = monotonicMs()
    check(await sendAll(child.port, requests, connections))
    await finished(warmUp.length + requests.length)
    const { lastAt } = await readDone(child)
    const [usage, reads] = [await child.ask('usage'), Number(await api.ask('reads'))]
    return {
      rate: requests.length / ((lastAt - startedAt) / 1_000),
      cpuMicros: ((usage.cpuMs - usageBefore.cpuMs) * 1_000) / requests.length,
      reads: (reads - readsBefore) / requests.length,
    }
  } finally {
    await child.stop()
    await dispose()
  }
}
