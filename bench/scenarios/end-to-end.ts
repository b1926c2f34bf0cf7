import { compare, medianOf, ratioOf } from '../compare.ts'
import type { Child } from '../child.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { warmUpRequests, webhookRequests } from '../envelopes.ts'
import { readDone, waitUntilFinished } from '../in-step.ts'
import { check, connections } from '../measure-receiver.ts'
import { sendAll } from '../load.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Bench, Row, Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { atLeast, atMost } from '../targets.ts'
import { merged, ours, written } from '../whole-receivers.ts'

const oneEach = { key: 'rate', where: '1 event a PA' }
const fiveEach = { key: 'rateOfFive', where: '5 events a PA' }
const columns = [
  { key: 'rate', title: 'deliveries/s, 1 a PA' },
  { key: 'cpuMicros', title: 'CPU us each' },
  { key: 'reads', title: 'GETs each', digits: 2 },
  { key: 'rateOfFive', title: 'deliveries/s, 5 a PA' },
  { key: 'readsOfFive', title: 'GETs each', digits: 2 },
]
const ratiosTo = (to: string) => [
  { title: 'x, 1 a PA', key: 'rate', to },
  { title: 'x, 5 a PA', key: 'rateOfFive', to },
]
const notes = [
  'pawl runs all shipped handlers, and records snapshots, progress and audit trail; the hand-written workers make the same writes to the chart and record nothing.',
  'With 1 event a PA nothing can be worked off together: the worst case for pawl. With 5, pawl reads and writes once for what rang together.',
]

const onSqlite = [written.sqlite, ours.sqlite, ours.redis]

/** From the first delivery sent to the last one in step: received, stored, read from the API, written to the chart, recorded. */
export const endToEnd: Scenario = {
  name: 'end-to-end',
  title: 'Deliveries brought into step a second, receiver and worker in one process, a played API, the chart in memory',
  contenders: onSqlite,
  async run(bench) {
    const { pick } = bench
    const rows = await measureAll(onSqlite, bench, {
      warmUp: pick(2_000, 200),
      one: pick(2_000, 300),
      five: pick(6_000, 1_000),
    })
    const cpuOf = (name: string) => medianOf(rows, name, 'cpuMicros')
    const [sqlite, byHand] = [ours.sqlite.name, written.sqlite.name]
    return {
      columns,
      ratios: ratiosTo(byHand),
      rows,
      targets: [
        atLeast(rows, { ...oneEach, contender: sqlite, to: byHand }, 1.1),
        atLeast(rows, { ...fiveEach, contender: sqlite, to: byHand }, 3),
        atMost(`${sqlite}: CPU for one PA above that of ${byHand}`, cpuOf(sqlite) - cpuOf(byHand), 200, ' us'),
      ],
      notes,
    }
  },
}

const onPostgres = [written.pgBoss, written.graphileWorker, ...Object.values(merged), ours.postgres]

/** The same where everybody keeps everything on PostgreSQL. */
export const endToEndOnPostgres: Scenario = {
  name: 'end-to-end-postgres',
  needs: ['postgres'],
  title: 'Deliveries brought into step a second, likewise, with events and jobs on PostgreSQL',
  contenders: onPostgres,
  async run(bench) {
    const { pick } = bench
    const rows = await measureAll(onPostgres, bench, {
      warmUp: pick(1_000, 200),
      one: pick(1_000, 300),
      five: pick(2_500, 1_000),
    })
    const jobForEach = [written.pgBoss.name, written.graphileWorker.name]
    const jobForSeveral = Object.values(merged).map(({ name }) => name)
    const againstMerging = ({ key, where }: typeof oneEach) =>
      `${where}: ${ratioOf(rows, key, ours.postgres.name, jobForSeveral).toFixed(2)} x`
    return {
      columns,
      ratios: ratiosTo(written.pgBoss.name),
      rows,
      targets: [
        atLeast(rows, { ...oneEach, contender: ours.postgres.name, to: jobForEach }, 1.5),
        atLeast(rows, { ...fiveEach, contender: ours.postgres.name, to: jobForEach }, 3),
      ],
      notes: [
        ...notes,
        `By singletonKey and jobKey one job, which waits 500 ms as a PA rests in pawl, stands for several events of a PA. pawl against the better of these: ${againstMerging(oneEach)}, ${againstMerging(fiveEach)}. They commit an event and its job one after the other, pawl both at once.`,
        'PostgreSQL waits for its disk at every commit (fsync and synchronous_commit are on), as pawl does on SQLite; CPU us each are those of the measured process, without PostgreSQL.',
      ],
    }
  },
}

/** Deliveries by kind: to warm up, on a PA each, and five on each PA. */
interface Counts {
  warmUp: number
  one: number
  five: number
}

async function measureAll(contenders: readonly ReceiverSpec[], bench: Bench, counts: Counts): Promise<Row[]> {
  const { stage } = bench
  const load = {
    warmUp: warmUpRequests(counts.warmUp),
    one: webhookRequests({ count: counts.one }),
    five: webhookRequests({ count: counts.five, eventsEach: 5, firstPa: counts.one }),
  }
  const api = await stage.start('played-api')
  const rows = await compare(
    (await bench.select(contenders)).map((spec) => ({
      name: spec.name,
      measure: () => measure(stage, spec, api, load),
    })),
    bench,
  )
  await api.stop()
  return rows
}

async function measure(stage: Stage, spec: ReceiverSpec, api: Child, load: Record<keyof Counts, readonly Buffer[]>) {
  const { env, dispose } = await spec.prepare(stage)
  const child = await stage.start(spec.script, { ...env, API_BASE_URL: `http://127.0.0.1:${api.port}` })
  try {
    await bringIntoStep(load.warmUp)
    const one = await bringIntoStep(load.one)
    const five = await bringIntoStep(load.five)
    return { ...one, rateOfFive: five.rate, readsOfFive: five.reads }
  } finally {
    await child.stop()
    await dispose()
  }

  async function bringIntoStep(requests: readonly Buffer[]) {
    const [usageBefore, readsBefore] = [await child.ask('usage'), Number(await api.ask('reads'))]
    const startedAt = monotonicMs()
    check(await sendAll(child.port, requests, connections))
    await waitUntilFinished(child, spec.script)
    const { lastAt } = await readDone(child)
    const [usage, reads] = [await child.ask('usage'), Number(await api.ask('reads'))]
    return {
      rate: requests.length / ((lastAt - startedAt) / 1_000),
      cpuMicros: ((usage.cpuMs - usageBefore.cpuMs) * 1_000) / requests.length,
      reads: (reads - readsBefore) / requests.length,
    }
  }
}
