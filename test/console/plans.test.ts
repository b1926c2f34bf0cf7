import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, type KyselyPlugin } from 'kysely'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createAdmin } from '../../src/console/admin.ts'
import { createMetrics } from '../../src/console/metrics.ts'
import { createVitals } from '../../src/console/vitals.ts'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import { openPostgres } from '../../src/ledger/postgres/open-postgres.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { openSqlite } from '../../src/ledger/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/ledger/storage.ts'
import { createReadStory } from '../../src/story/read-story.ts'
import { startIdleAlerts } from '../support/idle-alerts.ts'
import { captureLog } from '../support/log-capture.ts'
import { openToThisMachine } from './open-to-this-machine.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { fillLargeLedger, size } from './large-ledger.ts'

/** The app over a ledger whose statements are taken down. */
function openWatched(storage: Storage) {
  const statements = new Map<string, CompiledQuery>()
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const compiled = storage.db.getExecutor().compileQuery(node, queryId)
      statements.set(compiled.sql, compiled)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  const ledger = createLedger({ storage: { ...storage, db: storage.db.withPlugin(watch) }, seal: createSeal([]) })
  const admin = createAdmin({
    ledger,
    handlerNames: ['chart'],
    systemNames: ['ehr'],
    lookAtHolds: async () => {},
    poll() {},
    readStory: createReadStory({ ledger, linkTo: () => undefined }),
    findResources: () => Promise.resolve({ matches: [], isAll: true }),
    sync: () => Promise.resolve(0),
    readBreakers: () => ({}),
    readAway: () => [],
    registry: createMetrics({ readCounts: ledger.counts, readBreakers: () => ({}), readHolds: () => [] }).registry,
    access: openToThisMachine,
    isSealing: false,
    enqueue() {},
    vitals: createVitals(Date.now),
    alerts: startIdleAlerts({ ledger }),
    role: 'all',
    queueName: 'this process',
    inWork: () => 0,
    settings: [],
    stopping: new AbortController().signal,
    log: captureLog().log,
  })
  const listener: RequestListener = (req, res) => void admin(req, res)
  return { ledger, listener, statements }
}

/** Every page and what it leads to: filters, and the next part of each list. */
async function visitAll(listener: RequestListener): Promise<string[]> {
  const visited: string[] = []
  const visit = async (address: string): Promise<string> => {
    const { status, text } = await request(listener).get(address)
    expect({ address, status }).toEqual({ address, status: 200 })
    visited.push(address)
    return text
  }
  const lists = [
    '/parked',
    '/parked?error=code_2',
    '/work-queue',
    '/work-queue?kind=benefit_verification',
    '/resources',
    '/resources?kind=benefit_verification',
    '/events',
    '/events?source=poll',
    '/events?resource=pa_7',
    '/rejections',
    '/resources/pa_7',
    '/audit',
    '/audit?actor=rare',
    '/audit?action=work.retry',
    '/audit?resource=pa_7',
    '/audit?from=1970-01-01&to=1970-01-01',
    '/audit?actor=maria&action=work.retry',
    '/report?from=1970-01-01&to=1970-01-02&by=drug',
  ]
  for (const address of lists) {
    const text = await visit(address)
    const next = /href="([^"]+)">(?:More|Older)</.exec(text)?.[1]
    if (next !== undefined) await visit(next.replaceAll('&amp;', '&'))
  }
  const others = [
    '/',
    '/alerts',
    '/handlers',
    '/handlers/hold?kind=handler&name=chart',
    '/drift',
    '/settings',
    '/metrics',
  ]
  for (const address of others) await visit(address)
  return visited
}

describe(`pages over ${size.events} events on SQLite`, () => {
  let folder: string
  let storage: Storage
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-plans-'))
    const path = join(folder, 'pawl.db')
    storage = await openSqlite(path, systemClock)
    await fillLargeLedger(`file:${path}`)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('read by indexes, or so many rows at the most', async () => {
    const { ledger, listener, statements } = openWatched(storage)
    expect(await visitAll(listener)).toHaveLength(39)
    const scans: string[] = []
    for (const { sql, parameters } of statements.values()) {
      if (!/^\s*(select|with)/i.test(sql)) continue
      const { rows } = await storage.db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))
      // As SQLite answers it.
      const details = (rows as { detail: string }[]).map(({ detail }) => detail)
      // A limit is of no use to whoever sorts first, unless it stands in what is sorted.
      const isInner = /from \(select [^()]* limit \?\)/.test(sql)
      const isSorted = details.some((detail) => /FOR ORDER BY/.test(detail))
      const isBounded = /\blimit\b/.test(sql) && (isInner || !isSorted)
      if (!isBounded)
        scans.push(
          ...details
            .filter((d) => /^SCAN (events|resources|progress|attempts|audit|outcomes)\b/.test(d))
            .map((d) => `${d}: ${sql}`),
        )
    }
    expect(scans).toEqual([])
    expect(statements.size).toBeGreaterThan(20)
    await ledger.close()
  })
})

describeWithPostgres(`pages over ${size.events} events on PostgreSQL`, () => {
  let postgres: TestPostgres
  let storage: Storage
  beforeAll(async () => {
    postgres = await startPostgres()
    const url = await postgres.createDatabase()
    storage = await openPostgres(url, () => {})
    await fillLargeLedger(url)
  })
  afterAll(() => postgres.close())

  it('read by indexes, or so many rows at the most', async () => {
    const { ledger, listener, statements } = openWatched(storage)
    expect(await visitAll(listener)).toHaveLength(39)
    const scans: string[] = []
    for (const { sql, parameters } of statements.values()) {
      if (!/^\s*(select|with)/i.test(sql)) continue
      const { rows } = await storage.db.executeQuery(CompiledQuery.raw(`explain ${sql}`, [...parameters]))
      // As PostgreSQL answers it.
      const plan = (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']).join('\n')
      if (/Seq Scan on (events|resources|progress|attempts|audit|outcomes)\b/.test(plan) && !/\bLimit\b/.test(plan))
        scans.push(`${sql}\n${plan}`)
    }
    expect(scans).toEqual([])
    await ledger.close()
  })
})
