import { dirname } from 'node:path'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../packages/base/src/clock.ts'
import { openStorage } from '../../packages/ledger/src/open-storage.ts'
import { fillLargeLedger } from '../../packages/console/test/large-ledger.ts'
import { apis, lists, others } from '../../packages/console/test/pages-to-visit.ts'
import type { Child } from '../child.ts'
import { compare, ratioOf } from '../compare.ts'
import { webhookRequests } from '../envelopes.ts'
import { connections } from '../measure-receiver.ts'
import { monotonicMs } from '../monotonic.ts'
import { sendAtRate } from '../open-load.ts'
import type { Row, Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { median, percentile } from '../statistics.ts'
import { atMost } from '../targets.ts'

const perSecond = 100
const day = 86_400_000

const alone = 'acknowledged'
const turned = 'acknowledged while five people turn a page each second'

const databases = [{ name: 'SQLite' }, { name: 'PostgreSQL', needs: ['postgres'] }] as const

/** How long a page of the console takes over a long history, and whether deliveries wait for pages. */
export const consolePages: Scenario = {
  name: 'console',
  title: 'Milliseconds to a page of the console, and to the acknowledgement while pages are read',
  async run({ stage, select, rounds, pick, say }) {
    const events = pick(1_000_000, 50_000)
    const from = Date.now() - 30 * day
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
    const pages = [...lists(dayOf(from + 9 * day), dayOf(from + 10 * day)), ...others, ...apis]
    // Figures that were waited for are kept for a while: each round asks of a period of its own.
    const month = (round: number) => `/report?from=${new Date(from + round).toISOString()}&by=drug`
    const rows: Row[] = []
    for (const { name: database } of await select(databases)) {
      say(`filling ${database} with ${events.toLocaleString('en')} events`)
      const { url, dispose } = await prepare[database](stage)
      await makeSchema(url)
      await fillLargeLedger(url, { events, from, spanMs: 30 * day })
      const child = await startPawl(stage, url)
      try {
        for (const page of pages) {
          say(`${database}: ${page}`)
          const row: Row = { contender: `${database}, ${page}`, rounds: [] }
          for (let round = 0; round < rounds; round += 1) row.rounds.push({ ms: await visit(child, page) })
          rows.push(row)
        }
        say(`${database}: the report of a month`)
        const [page, figures]: [Row, Row] = [
          { contender: `${database}, report of a month, page`, rounds: [] },
          { contender: `${database}, report of a month, figures`, rounds: [] },
        ]
        for (let round = 0; round < rounds; round += 1) {
          page.rounds.push({ ms: await visit(child, month(round)) })
          figures.rounds.push({ ms: await awaitFigures(child, month(round)) })
        }
        rows.push(page, figures)
        const addresses = JSON.stringify(pages.map((page) => `${child.announced.adminUrl}${page}`))
        const readPages = async (everyMs: number) => {
          const reader = await stage.start('page-reader', { PAGES: addresses, EVERY_MS: String(everyMs) })
          return () => reader.stop()
        }
        const computeReports = () => {
          const stopped = new AbortController()
          const computing = (async () => {
            for (let at = rounds; !stopped.signal.aborted; at += 1) await awaitFigures(child, month(at), stopped.signal)
          })()
          return async () => {
            stopped.abort()
            await computing
          }
        }
        const readers: Record<string, () => (() => Promise<void>) | Promise<() => Promise<void>>> = {
          [alone]: () => () => Promise.resolve(),
          [turned]: () => readPages(200),
          'acknowledged while one reader makes no pause': () => readPages(0),
          'acknowledged while reports of a month are computed': computeReports,
        }
        let sent = 0
        const contenders = Object.entries(readers).map(([name, startReading]) => ({
          name: `${database}, ${name}`,
          async measure() {
            const requests = webhookRequests({ count: pick(6, 3) * perSecond, firstPa: sent })
            sent += requests.length
            const stopReading = await startReading()
            try {
              return await measureAcknowledging(child, requests)
            } finally {
              await stopReading()
            }
          },
        }))
        rows.push(...(await compare(contenders, { rounds, say })))
      } finally {
        await child.stop()
        await dispose()
      }
    }
    const timed = rows.filter(({ contender }) => [...pages, 'page'].some((page) => contender.endsWith(`, ${page}`)))
    const medians = timed.map((row) => median(row.rounds.map(({ ms = NaN }) => ms)))
    return {
      columns: [
        { key: 'ms', title: 'p50', digits: 1 },
        { key: 'p99', title: 'p99', digits: 1 },
        { key: 'longest', title: 'longest', digits: 1 },
      ],
      rows,
      targets: [
        atMost('the slowest page', Math.max(...medians), 300, ' ms'),
        ...databases.map(({ name }) => {
          const ratio = ratioOf(rows, 'p99', `${name}, ${turned}`, `${name}, ${alone}`)
          return atMost(`${name}: ${turned}, p99, of that without`, ratio, 1.2, ' x')
        }),
      ],
      notes: [
        'The page of a long report is there before its figures, which are asked for until they are there; they are counted from the second request on.',
        'A page is read as often as there are rounds, one after the other; the first read counts, too. Its address is that of the admin listener.',
        `${perSecond} deliveries a second in an open loop, as in the scenario users, beside a process of its own that takes all pages in turn.`,
      ],
    }
  },
}

/** Where the ledger is to be. */
const prepare = {
  async SQLite(stage: Stage) {
    const file = await stage.newFile()
    return { url: `file:${file}`, dispose: () => rm(dirname(file), { recursive: true }) }
  },
  async PostgreSQL(stage: Stage) {
    const postgres = await stage.postgres()
    return { url: await postgres.createDatabase(), dispose: () => Promise.resolve() }
  },
}

/** Without pawl, as an audit trail that has begun has no room for another. */
async function makeSchema(url: string): Promise<void> {
  const { db } = await openStorage(url, { clock: systemClock, onError: () => {} })
  await db.destroy()
}

function startPawl(stage: Stage, url: string): Promise<Child> {
  const settings = {
    ROLE: 'all',
    HANDLERS: 'none',
    API_BASE_URL: 'http://127.0.0.1:9',
    RETENTION_DAYS: '3650',
    LOG_LEVEL: 'error',
  }
  return stage.start('pawl', { ...settings, DATABASE_URL: url })
}

async function visit(child: Child, page: string): Promise<number> {
  const startedAt = monotonicMs()
  const answer = await fetch(`${child.announced.adminUrl}${page}`)
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${page} was answered ${answer.status}.`)
  return monotonicMs() - startedAt
}

/** Milliseconds until the page holds its figures. */
async function awaitFigures(child: Child, page: string, signal = new AbortController().signal): Promise<number> {
  const startedAt = monotonicMs()
  const areThere = async () =>
    !(await (await fetch(`${child.announced.adminUrl}${page}`)).text()).includes('being computed')
  while (!signal.aborted && !(await areThere())) await sleep(50)
  return monotonicMs() - startedAt
}

async function measureAcknowledging(child: Child, requests: readonly Buffer[]) {
  const offered = await sendAtRate(child.port, requests, { perSecond, connections })
  const times = offered.map(({ answeredAfterMs }) => answeredAfterMs)
  return { ms: median(times), p99: percentile(times, 0.99), longest: Math.max(...times) }
}
