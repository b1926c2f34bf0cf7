import { copyFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { compare } from '../compare.ts'
import { webhookRequests } from '../envelopes.ts'
import { fillLedger, newLedger } from '../fill-ledger.ts'
import { connections } from '../measure-receiver.ts'
import { sendAtRate } from '../open-load.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { percentile } from '../statistics.ts'

const perSecond = 200
const megabyte = 2 ** 20

/** Whether deleting old data stalls the receiver. */
export const purge: Scenario = {
  name: 'purge',
  title: `Milliseconds to the acknowledgement at ${perSecond} deliveries a second offered, while old events are deleted`,
  async run(bench) {
    const { stage, pick, say } = bench
    const events = pick(1_000_000, 50_000)
    const history = await newLedger(stage)
    say(`filling a ledger with ${events.toLocaleString('en')} events`)
    fillLedger(history, events)
    const warmUp = pick(2, 1) * perSecond
    const requests = webhookRequests({ count: warmUp + pick(15, 5) * perSecond })
    const load = { history, events, requests, warmUp }
    const rows = await compare(
      [
        { name: 'pawl, all kept', measure: () => measure(stage, load, '3650') },
        { name: 'pawl, all older than a day deleted', measure: () => measure(stage, load, '1') },
      ],
      bench,
    )
    await rm(dirname(history), { recursive: true })
    return {
      columns: [
        { key: 'p50', title: 'p50', digits: 1 },
        { key: 'p99', title: 'p99', digits: 1 },
        { key: 'p99.9', title: 'p99.9', digits: 1 },
        { key: 'most', title: 'longest', digits: 1 },
        { key: 'deleted', title: 'deleted/s' },
        { key: 'fileMb', title: 'file in MB' },
      ],
      rows,
      targets: [],
      notes: [
        `${events.toLocaleString('en')} events of a month ago at the start, receiver and worker in one process, no handler active. Open loop, as in the scenario latency.`,
      ],
    }
  },
}

interface Load {
  history: string
  events: number
  requests: readonly Buffer[]
  warmUp: number
}

async function measure(stage: Stage, { history, events, requests, warmUp }: Load, retentionDays: string) {
  const file = await stage.newFile()
  await copyFile(history, file)
  const settings = { ROLE: 'all', HANDLERS: 'none', API_BASE_URL: 'http://127.0.0.1:9' }
  const child = await stage.start('pawl', { ...settings, RETENTION_DAYS: retentionDays, DATABASE_URL: `file:${file}` })
  try {
    const offered = await sendAtRate(child.port, requests, { perSecond, connections })
    const left = (await child.ask('counts')) as { events: number } // as servers/pawl.ts answers
    const times = offered.slice(warmUp).map(({ answeredAfterMs }) => answeredAfterMs)
    return {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      'p99.9': percentile(times, 0.999),
      most: Math.max(...times),
      deleted: ((events + requests.length - left.events) * perSecond) / requests.length,
      fileMb: (await stat(file)).size / megabyte,
    }
  } finally {
    await child.stop()
    await rm(dirname(file), { recursive: true })
  }
}
