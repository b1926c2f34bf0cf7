import { setTimeout as delay } from 'node:timers/promises'
import { compare, medianOf } from '../compare.ts'
import type { ReceiverSpec } from '../contenders.ts'
import type { Child } from '../child.ts'
import { webhookRequest } from '../envelopes.ts'
import { waitUntilInSync } from '../in-sync.ts'
import { journeyLength, journeyState } from '../journey.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import { monotonicMs } from '../monotonic.ts'
import { startPlayedApi } from '../played-api.ts'
import type { Bench, Row, Scenario } from '../scenario.ts'
import { startStatementCounter, type Statements } from '../statement-counter.ts'
import { atMost } from '../targets.ts'
import { ours, written } from '../whole-receivers.ts'
import { watchPages, type WrittenPages } from '../written-pages.ts'

const onPostgres = [written.pgBoss, written.graphileWorker, ours.postgres]
const contenders = [ours.sqlite, ...onPostgres]
const [kilobyte, gigabyte] = [1_024, 2 ** 30]
const kinds = ['a new PA', 'each later event'] as const
/** How long nothing is written before an event counts as worked off. */
const quietMs = 300
/** Between two events; those of one PA are further apart than it rests. */
const pauseMs = 250
const idleMs = 3_000

/** Cost of one PA for the database, unshared. */
export const costs: Scenario = {
  name: 'costs',
  title: `What a new PA costs the database, and what each of the ${journeyLength - 1} later events of its journey, one at a time`,
  contenders,
  async run(bench) {
    const rows = [
      ...(await measureKinds([ours.sqlite], bench, measurePages)),
      ...(await measureKinds(onPostgres, bench, measureStatements)),
    ]
    const of = (kind: string, key: string) => medianOf(rows, rowName(ours.sqlite.name, kind), key)
    const heldOf = of(kinds[0], 'held') + (journeyLength - 1) * of(kinds[1], 'held')
    return {
      columns: [
        { key: 'rows', title: 'rows', digits: 1 },
        { key: 'trees', title: 'b-trees', digits: 1 },
        { key: 'pages', title: 'pages', digits: 1 },
        { key: 'bytes', title: 'bytes' },
        { key: 'commits', title: 'commits', digits: 1 },
        { key: 'held', title: 'bytes held' },
        { key: 'statements', title: 'statements', digits: 1 },
        { key: 'roundTrips', title: 'round trips', digits: 1 },
      ],
      rows,
      targets: [
        atMost(`${ours.sqlite.name}: written to SQLite for a new PA`, of(kinds[0], 'bytes') / kilobyte, 66, ' KB'),
        atMost(`${ours.sqlite.name}: for each later event`, of(kinds[1], 'bytes') / kilobyte, 50, ' KB'),
      ],
      notes: [
        'Rows added, changed or deleted; b-trees (tables and indexes), pages and bytes in the write-ahead log of SQLite. Under load several PAs share a commit and its pages.',
        `Bytes held: how much the ledger's file grows by. A million PAs with their journeys of ${journeyLength} events make ${((heldOf * 1e6) / gigabyte).toFixed(0)} GB, calculated.`,
        'Statements as PostgreSQL answered them, and how often pawl went on after an answer, without those of an idle process; BEGIN and COMMIT are statements.',
      ],
    }
  },
}

type Kind = (typeof kinds)[number]
const rowName = (name: string, kind: string) => `${name}: ${kind}`

/** A row for each kind of event of each contender. */
async function measureKinds(
  specs: readonly ReceiverSpec[],
  bench: Bench,
  measure: (bench: Bench, spec: ReceiverSpec, deliver: Deliver) => Promise<Record<Kind, object>>,
): Promise<Row[]> {
  const measured = new Map<string, Row>()
  const note = (name: string, kind: Kind, figures: object) => {
    const contender = rowName(name, kind)
    const row = measured.get(contender) ?? { contender, rounds: [] }
    row.rounds.push({ ...figures })
    measured.set(contender, row)
  }
  await compare(
    (await bench.select(specs)).map((spec) => ({
      name: spec.name,
      async measure() {
        const figures = await withJourney((deliver) => measure(bench, spec, deliver))
        for (const kind of kinds) note(spec.name, kind, figures[kind])
        return {}
      },
    })),
    bench,
  )
  return [...measured.values()]
}

interface Deliver {
  apiUrl: string
  /** Sends an event of the journey of each of these PAs. */
  send(child: Child, pas: readonly number[], version: number): Promise<void>
}

/** A played service in which each PA is in the state that was sent last. */
async function withJourney<T>(use: (deliver: Deliver) => Promise<T>): Promise<T> {
  const versions = new Map<number, number>()
  const api = await startPlayedApi((pa) => journeyState(pa, versions.get(pa) ?? 0))
  try {
    return await use({
      apiUrl: api.url,
      async send(child, pas, version) {
        for (const pa of pas) versions.set(pa, version)
        const requests = pas.map((pa) => webhookRequest(journeyState(pa, version)))
        check(await sendAll(child.port, requests, Math.min(pas.length, connections)))
      },
    })
  } finally {
    api.close()
  }
}

async function measurePages({ stage, pick }: Bench, spec: ReceiverSpec, { apiUrl, send }: Deliver) {
  const { env, dispose } = await spec.prepare(stage)
  const child = await stage.start(spec.script, { ...env, API_BASE_URL: apiUrl })
  const pages = watchPages((env.DATABASE_URL ?? '').replace('file:', ''))
  const writtenBy: Record<Kind, WrittenPages[]> = { 'a new PA': [], 'each later event': [] }
  try {
    // The first PAs split the first pages.
    for (const pa of warmUpPas) await send(child, [pa], 0)
    await untilQuiet()
    for (let version = 0; version < journeyLength; version += 1) {
      for (const pa of someAfter(warmUpPas, 3)) {
        pages.begin()
        await send(child, [pa], version)
        await untilQuiet()
        writtenBy[kindOf(version)].push(pages.end())
      }
    }
    const many = someAfter(someAfter(warmUpPas, 3), pick(400, 50))
    const held: Record<Kind, number> = { 'a new PA': 0, 'each later event': 0 }
    for (let version = 0; version < journeyLength; version += 1) {
      const before = pages.held()
      await send(child, many, version)
      await untilQuiet()
      const times = version === 0 ? 1 : journeyLength - 1
      held[kindOf(version)] += (pages.held() - before) / many.length / times
    }
    const figuresOf = (kind: Kind) => ({ ...meanOf(writtenBy[kind]), held: held[kind] })
    return { 'a new PA': figuresOf('a new PA'), 'each later event': figuresOf('each later event') }
  } finally {
    pages.close()
    await child.stop()
    await dispose()
  }

  /** Until all is in sync and nothing more is written beside the work. */
  async function untilQuiet(): Promise<void> {
    await waitUntilInSync(child)
    for (let size = -1; size !== pages.size();) {
      size = pages.size()
      await delay(quietMs)
    }
  }
}

const warmUpPas = Array.from({ length: 10 }, (_, pa) => pa)
const someAfter = (others: readonly number[], count: number) =>
  Array.from({ length: count }, (_, n) => (others.at(-1) ?? 0) + 1 + n)
const kindOf = (version: number): Kind => (version === 0 ? 'a new PA' : 'each later event')

function meanOf(all: readonly WrittenPages[]): WrittenPages {
  const mean = (key: keyof WrittenPages) => all.reduce((sum, each) => sum + each[key], 0) / all.length
  return {
    rows: mean('rows'),
    trees: mean('trees'),
    pages: mean('pages'),
    bytes: mean('bytes'),
    commits: mean('commits'),
  }
}

async function measureStatements({ stage }: Bench, spec: ReceiverSpec, { apiUrl, send }: Deliver) {
  const { env, dispose } = await spec.prepare(stage)
  const counter = await startStatementCounter(env.DATABASE_URL ?? '')
  const child = await stage.start(spec.script, { ...env, DATABASE_URL: counter.url, API_BASE_URL: apiUrl })
  try {
    const pas = someAfter(warmUpPas, 6)
    for (const pa of warmUpPas) await send(child, [pa], 0)
    await delay(2_000)
    const idle = await countDuring(() => delay(idleMs))
    const perEvent = async (from: number, to: number) => {
      const { statements, roundTrips, ms } = await countDuring(async () => {
        for (let version = from; version < to; version += 1) {
          for (const pa of pas) {
            await send(child, [pa], version)
            await delay(pauseMs)
          }
        }
        await delay(2_000)
      })
      const events = (to - from) * pas.length
      const idleParts = ms / idle.ms
      return {
        statements: (statements - idle.statements * idleParts) / events,
        roundTrips: (roundTrips - idle.roundTrips * idleParts) / events,
      }
    }
    return { 'a new PA': await perEvent(0, 1), 'each later event': await perEvent(1, journeyLength) }
  } finally {
    await child.stop()
    counter.close()
    await dispose()
  }

  async function countDuring(act: () => Promise<void>): Promise<Statements & { ms: number }> {
    const [before, from] = [counter.read(), monotonicMs()]
    await act()
    const after = counter.read()
    return {
      statements: after.statements - before.statements,
      roundTrips: after.roundTrips - before.roundTrips,
      ms: monotonicMs() - from,
    }
  }
}
