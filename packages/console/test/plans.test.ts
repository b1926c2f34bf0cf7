import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, type KyselyPlugin } from 'kysely'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../base/src/clock.ts'
import { createLedger } from '../../ledger/src/create-ledger.ts'
import { openPostgres } from '../../ledger/src/postgres/open-postgres.ts'
import { createSeal } from '../../ledger/src/sealing/seal.ts'
import { openSqlite } from '../../ledger/src/sqlite/open-sqlite.ts'
import type { Storage } from '../../ledger/src/storage.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { createIdleAdmin } from './idle-admin.ts'
import { fillLargeLedger } from './large-ledger.ts'
import { apis, lists, others } from './pages-to-visit.ts'

/** The beginning of time, and five days of it. */
const filling = { events: 200_000, from: 0, spanMs: 500_000_000 }

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
  const ledger = createLedger({
    storage: { ...storage, db: storage.db.withPlugin(watch), views: storage.views.withPlugin(watch) },
    seal: createSeal([]),
  })
  const admin = createIdleAdmin({
    ledger,
    handlerNames: ['chart'],
    systemNames: ['ehr'],
    sealing: 'off',
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
  for (const address of lists('1970-01-01', '1970-01-02')) {
    const text = await visit(address)
    const next = /href="([^"]+)">(?:More|Older)</.exec(text)?.[1]
    if (next !== undefined) await visit(next.replaceAll('&amp;', '&'))
  }
  for (const address of [...others, '/handlers/pause?kind=handler&name=chart', ...apis]) await visit(address)
  return visited
}

describe(`pages over ${filling.events} events on SQLite`, () => {
  let folder: string
  let storage: Storage
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-plans-'))
    const path = join(folder, 'pawl.db')
    storage = await openSqlite(path, systemClock)
    await fillLargeLedger(`file:${path}`, filling)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('read by indexes, or so many rows at the most', async () => {
    const { ledger, listener, statements } = openWatched(storage)
    expect(await visitAll(listener)).toHaveLength(62)
    const scans: string[] = []
    for (const { sql, parameters } of statements.values()) {
      if (!/^\s*(select|with)/i.test(sql)) continue
      const { rows } = await storage.db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))
      // As SQLite answers it.
      const details = (rows as { detail: string }[]).map(({ detail }) => detail)
      // A limit does not bound a sort, unless it stands within the sorted query.
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

describeWithPostgres(`pages over ${filling.events} events on PostgreSQL`, () => {
  let postgres: TestPostgres
  let storage: Storage
  beforeAll(async () => {
    postgres = await startPostgres()
    const url = await postgres.createDatabase()
    storage = await openPostgres(url, () => {})
    await fillLargeLedger(url, filling)
  })
  afterAll(() => postgres.close())

  it('read by indexes, or so many rows at the most', async () => {
    const { ledger, listener, statements } = openWatched(storage)
    expect(await visitAll(listener)).toHaveLength(62)
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
