import { syncPas } from '../sync-pas.ts'
import { ratioOf } from '../compare.ts'
import type { Scenario } from '../scenario.ts'
import { atLeast } from '../targets.ts'
import { merged, ours, written } from '../whole-receivers.ts'

const oneEach = { key: 'perCpuSecond', where: 'CPU, 1 event a PA' }
const fiveEach = { key: 'rateOfFive', where: '5 events a PA' }
const columns = [
  { key: 'rate', title: 'PAs/s, 1 event' },
  { key: 'cpu', title: 'CPU us' },
  { key: 'main', title: 'main' },
  { key: 'ledger', title: 'ledger' },
  { key: 'others', title: 'rest' },
  { key: 'servers', title: 'servers' },
  { key: 'rateOfFive', title: 'PAs/s, 5 events' },
  { key: 'cpuOfFive', title: 'CPU us' },
  { key: 'readsOfFive', title: 'GETs', digits: 2 },
]
const ratiosTo = (to: string) => [
  { title: 'x CPU, 1', key: 'perCpuSecond', to },
  { title: 'x wall, 1', key: 'rate', to },
  { title: 'x CPU, 5', key: 'perCpuSecondOfFive', to },
  { title: 'x wall, 5', key: 'rateOfFive', to },
]
const notes = [
  'CPU microseconds for one PA: of all threads of the process (main, ledger, rest) and of its Redis or PostgreSQL; load, API and turns of others do not count. x CPU: how many PAs for the same CPU.',
  'pawl runs all shipped handlers, and records snapshots, progress and audit trail; the hand-written workers write the same resources and record nothing.',
]

const onSqlite = [
  written.durable,
  written.usual,
  written.plain,
  written.plainUsual,
  ours.sqlite,
  ours.sealed,
  ours.redis,
]

/** From the first delivery sent to the last one in sync. */
export const endToEnd: Scenario = {
  name: 'end-to-end',
  title: 'PAs synced, receiver and worker in one process, in turns; a played API, the chart in memory',
  contenders: onSqlite,
  async run(bench) {
    const size = { one: bench.pick(800, 100), five: bench.pick(400, 50) }
    const rows = await syncPas(bench, onSqlite, { size, turns: bench.rounds * bench.pick(3, 1) })
    const [sqlite, shared, plain] = [ours.sqlite.name, written.durable.name, written.plain.name]
    return {
      columns,
      ratios: ratiosTo(shared),
      rows,
      targets: [
        atLeast(rows, { ...oneEach, contender: sqlite, to: shared }, 1),
        atLeast(rows, { ...oneEach, contender: sqlite, to: plain }, 0.75),
        atLeast(rows, { ...fiveEach, contender: sqlite, to: shared }, 3),
        atLeast(rows, { ...fiveEach, contender: sqlite, to: plain }, 2.2),
      ],
      notes: [
        ...notes,
        'SQLite is FULL and Redis appends every second, where no name says NORMAL: there Redis keeps snapshots only, as most people run it.',
      ],
    }
  },
}

const onPostgres = [written.pgBoss, written.graphileWorker, ...Object.values(merged), ours.postgres]

/** The same where everybody keeps everything on PostgreSQL. */
export const endToEndOnPostgres: Scenario = {
  name: 'end-to-end-postgres',
  needs: ['postgres'],
  title: 'PAs synced, likewise, with events and jobs on PostgreSQL',
  contenders: onPostgres,
  async run(bench) {
    const size = { one: bench.pick(500, 100), five: bench.pick(250, 50) }
    const rows = await syncPas(bench, onPostgres, { size, turns: bench.rounds * bench.pick(2, 1) })
    const jobForSeveral = Object.values(merged).map(({ name }) => name)
    const againstMerging = ratioOf(rows, 'rateOfFive', ours.postgres.name, jobForSeveral).toFixed(2)
    return {
      columns,
      ratios: ratiosTo(written.pgBoss.name),
      rows,
      targets: [
        atLeast(
          rows,
          { key: 'rate', where: '1 event a PA', contender: ours.postgres.name, to: written.pgBoss.name },
          1.3,
        ),
        atLeast(rows, { ...fiveEach, contender: ours.postgres.name, to: written.pgBoss.name }, 3),
      ],
      notes: [
        ...notes,
        `By singletonKey and jobKey one job, which waits 500 ms as a PA rests in pawl, stands for several events of a PA. pawl against the better of these, 5 events a PA: ${againstMerging} x. They commit an event and its job one after the other, pawl both at once.`,
        'PostgreSQL waits for its disk at every commit (fsync and synchronous_commit are on), as pawl does on SQLite.',
      ],
    }
  },
}
