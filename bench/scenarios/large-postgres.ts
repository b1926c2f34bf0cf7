import { systemClock } from '../../packages/base/src/clock.ts'
import { openStorage } from '../../packages/ledger/src/open-storage.ts'
import { purgeEvents } from '../../packages/ledger/src/upkeep/purge.ts'
import type { Child } from '../child.ts'
import { compare } from '../compare.ts'
import { webhookRequests } from '../envelopes.ts'
import { fillPostgres } from '../fill-postgres.ts'
import { readDone, waitUntilInSync } from '../in-sync.ts'
import { acknowledge } from '../measure-receiver.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Row, Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { atLeast } from '../targets.ts'

const empty = 'pawl, empty ledger'
const deleting = 'deleting the oldest'

/** Whether a long history slows anything down on PostgreSQL, and what it costs to let go of its end. */
export const largePostgres: Scenario = {
  name: 'large-postgres',
  needs: ['redis', 'postgres'],
  title: 'A ledger on PostgreSQL with a long history against an empty one, and how fast old events go',
  async run(bench) {
    const { stage, pick, say } = bench
    const events = pick(10_000_000, 300_000)
    const full = `pawl, ${events.toLocaleString('en')} events`
    const postgres = await stage.postgres()
    const url = await postgres.createDatabase()
    const from = monotonicMs()
    await fillPostgres(url, events, say)
    say(`filled in ${Math.round((monotonicMs() - from) / 1_000)} s`)
    const api = await stage.start('played-api')
    // The full ledger stays from round to round: it must not have seen a delivery before.
    let firstPa = 0
    const measureOne = async (databaseUrl: string) => {
      const [warmUp, measured] = [pick(500, 200), pick(2_500, 800)]
      firstPa += warmUp + measured
      return measure(stage, databaseUrl, {
        api,
        warmUp,
        requests: webhookRequests({ count: warmUp + measured, firstPa }),
      })
    }
    const rows = await compare(
      [
        { name: empty, measure: async () => measureOne(await postgres.createDatabase()) },
        { name: full, measure: () => measureOne(url) },
      ],
      bench,
    )
    await api.stop()
    return {
      columns: [
        { key: 'acknowledged', title: 'acknowledged/s' },
        { key: 'receiverCpu', title: 'receiver CPU us each' },
        { key: 'inSync', title: 'synced/s' },
        { key: 'gone', title: 'events deleted' },
        { key: 'goneMs', title: 'in ms' },
      ],
      ratios: [
        { title: 'x empty, receiving', key: 'acknowledged', to: empty },
        { title: 'x empty, working', key: 'inSync', to: empty },
      ],
      rows: [...rows, await measurePurge(url, events / 100)],
      targets: [
        atLeast(rows, { key: 'acknowledged', contender: full, to: empty, where: 'receiving' }, 0.9),
        atLeast(rows, { key: 'inSync', contender: full, to: empty, where: 'working' }, 0.95),
      ],
      notes: [
        `${events.toLocaleString('en')} events of 100 bytes, five for each PA, all long in sync; one receiver, then one worker. Client, PostgreSQL, Redis and the played API run on the same cores.`,
        'Old events are deleted 500 at a time, without the pauses that retention makes in between.',
      ],
    }
  },
}

interface Load {
  api: Child
  warmUp: number
  requests: readonly Buffer[]
}

async function measure(
  stage: Stage,
  databaseUrl: string,
  { api, warmUp, requests }: Load,
): Promise<Record<string, number>> {
  const redis = await stage.redis()
  await redis.flushAll()
  const env = { DATABASE_URL: databaseUrl, QUEUE_URL: redis.url, RETENTION_DAYS: '3650' }
  const receiver = await stage.start('pawl', env)
  await acknowledge({ child: receiver }, requests.slice(0, warmUp))
  const { rate, cpu } = await acknowledge({ child: receiver }, requests.slice(warmUp), 60_000)
  await receiver.stop()
  const worker = await stage.start('pawl', {
    ...env,
    ROLE: 'worker',
    HANDLERS: 'prior-authorization-to-ehr',
    API_BASE_URL: `http://127.0.0.1:${api.port}`,
  })
  await waitUntilInSync(worker)
  const { runs, firstAt, lastAt } = await readDone(worker)
  await worker.stop()
  return { acknowledged: rate, receiverCpu: cpu, inSync: runs / ((lastAt - firstAt) / 1_000) }
}

/** Deletes so many of the oldest events. */
async function measurePurge(url: string, count: number): Promise<Row> {
  const { db } = await openStorage(url, { clock: systemClock, onError: () => {} })
  // Of two weeks ago: what is deleted is older.
  const limits = { now: Date.now(), keepMs: 14 * 86_400_000, parkedKeepMs: 0, reportKeepMs: 0, dryRun: false }
  const from = monotonicMs()
  let gone = 0
  for (let cursor = 0; gone < count;) {
    const step = await db.transaction().execute((trx) => purgeEvents(trx, cursor, limits))
    gone += step.deliveries
    cursor = step.cursor
    if (step.isDone) break
  }
  const round = { gone, goneMs: monotonicMs() - from }
  await db.destroy()
  return { contender: deleting, rounds: [round] }
}
