import { createHash } from 'node:crypto'
import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import { migrations } from '../../src/ledger/migrations.ts'
import { openPostgres } from '../../src/ledger/postgres/open-postgres.ts'
import { listPartitions } from '../../src/ledger/postgres/partitions.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import type { Tables } from '../../src/ledger/tables.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { execute } from './filled-ledger.ts'

const type = 'prior_authorization.status_change'
const fingerprintOf = (text: string) => createHash('sha256').update(text).digest()

/** Makes the schema as the version before had it. */
async function makeSchemaBefore(url: string): Promise<void> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) })
  const types = { id: sql`bigint generated always as identity primary key`, bytes: sql`bytea`, integer: sql`bigint` }
  const provider = { getMigrations: () => Promise.resolve(migrations(types)) }
  const { error } = await new Migrator({ db, provider }).migrateTo('2027-09-trace')
  await db.destroy()
  expect(error).toBeUndefined()
}

/** A process of the version before, by its own statements. */
async function startWriterBefore(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  const stored: { id: number; text: string }[] = []
  const stopping = new AbortController()

  async function write(text: string): Promise<void> {
    const resourceId = `pa_req_${text}`
    const fingerprint = fingerprintOf(text)
    await client.query('begin')
    await client.query(
      `select id, resource_id, event_type, fingerprint, received_at, traceparent from events where id in (
        select max(id) as id from events where (resource_id, event_type) in (values ($1, $2)) group by resource_id, event_type)`,
      [resourceId, type],
    )
    const { rows } = await client.query<{ id: string }>(
      `insert into events (resource_id, kind, event_type, fingerprint, event_key, body, received_at, source, traceparent)
      values ($1, 'prior_authorization', $2, $3, $4, $5, $6, 'webhook', null) returning id`,
      [resourceId, type, fingerprint, `wh_${text}`, Buffer.from(text), Date.now()],
    )
    const id = Number(rows[0]?.id)
    await client.query(
      `insert into resources (id, kind, newest_event_id, first_event_at, terminal, due_at, next_poll_at)
      values ($1, 'prior_authorization', $2, $3, 0, $3, $3) on conflict (id) do update set newest_event_id = excluded.newest_event_id`,
      [resourceId, id, Date.now()],
    )
    await client.query('update events set repeats = repeats + 1 where id = $1', [id])
    await client.query('commit')
    stored.push({ id, text })
  }
  async function run(): Promise<void> {
    for (let n = 0; !stopping.signal.aborted; n += 1) await write(`old_${n}`)
  }
  const running = run()
  return {
    stored,
    async stop() {
      stopping.abort()
      await running
      // As its retention does.
      await client.query('delete from events where id in ($1)', [stored[0]?.id])
      await client.end()
    },
  }
}

describeWithPostgres('a ledger of the version before partitions, on PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  const open = async (url: string) => createLedger({ storage: await openPostgres(url, () => {}), seal: createSeal([]) })
  const delivery = (text: string, eventKey?: string) => ({
    resourceId: `pa_req_${text}`,
    kind: 'prior_authorization' as const,
    eventType: type,
    eventKey,
    body: Buffer.from(text),
    source: 'webhook' as const,
  })

  it.each([
    ['few', 1_000],
    ['many', 150_000],
  ])('keeps its %s events and takes more, while a process of that version writes all the while', async (_, count) => {
    const url = await postgres.createDatabase()
    await makeSchemaBefore(url)
    await execute(
      url,
      `insert into events (resource_id, kind, event_type, fingerprint, event_key, body, received_at, source)
      select 'pa_req_' || n, 'prior_authorization', '${type}', sha256(convert_to(n::text, 'utf8')), 'wh_' || n, convert_to(n::text, 'utf8'), n, 'webhook'
      from generate_series(1, ${count}) as n`,
    )
    await execute(url, 'create role auditor')
      .catch(() => undefined)
      .then(() => execute(url, 'grant select on events to auditor'))
    const writer = await startWriterBefore(url)
    await until('it writes', () => writer.stored.length > 20)

    const [one, other] = await Promise.all([open(url), open(url)])
    const written = writer.stored.length
    await until('it goes on', () => writer.stored.length > written + 20)
    expect(await one.accept(delivery('7'))).toMatchObject({ eventId: 7, duplicate: true })
    expect(await one.accept(delivery('new'))).toMatchObject({ duplicate: false })
    expect(await other.accept(delivery('new'))).toMatchObject({ duplicate: true })
    expect(await one.accept({ ...delivery('other body', 'wh_8'), resourceId: 'pa_req_8' })).toMatchObject({
      eventId: 8,
      duplicate: true,
    })
    await writer.stop()

    const [first, ...kept] = writer.stored
    // Stored before the change, while it was made, or after it.
    for (const { id, text } of [kept[0], kept[Math.floor(kept.length / 2)], kept.at(-1)].flatMap(
      (each) => each ?? [],
    )) {
      expect(await one.accept(delivery(text))).toMatchObject({ eventId: id, duplicate: true })
      expect(
        await other.accept({ ...delivery(`${text} again`, `wh_${text}`), resourceId: `pa_req_${text}` }),
      ).toMatchObject({ eventId: id, duplicate: true })
    }
    expect(await one.accept(delivery(first?.text ?? ''))).toMatchObject({ duplicate: false })
    const [row] = await execute(url, 'select count(*)::int as count, count(distinct id)::int as ids from events')
    expect(row).toEqual({ count: count + kept.length + 2, ids: count + kept.length + 2 })
    const claim = await one.claim('pa_req_new', 1_000, { prior_authorization: ['h'] })
    expect(claim?.events).toHaveLength(1)
    expect(await execute(url, "select has_table_privilege('auditor', 'events', 'select') as may")).toEqual([
      { may: true },
    ])
    await Promise.all([one.close(), other.close()])

    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) })
    const partitions = await listPartitions(db)
    await db.destroy()
    expect(partitions[0]).toMatchObject({ name: 'events_before', from: 0 })
    // Where they are many, numbers are left to those who write while they are read.
    expect((partitions[0]?.to ?? 0) > 100_000_000).toBe(count > 100_000)
    expect(partitions.length).toBeGreaterThanOrEqual(3)
    const indexes = await execute(
      url,
      "select count(*)::int as count from pg_indexes where tablename = 'events_before'",
    )
    expect(indexes).toEqual([{ count: 4 }])
  })

  it('is left as it is, and opened by the next try, where somebody holds its table for long', async () => {
    const url = await postgres.createDatabase()
    await makeSchemaBefore(url)
    await execute(
      url,
      "insert into events (resource_id, event_type, fingerprint, body, received_at, source) values ('', 'x', '', '', 1, 'webhook')",
    )
    const reader = new Client({ connectionString: url })
    await reader.connect()
    await reader.query('begin')
    await reader.query('select count(*) from events')
    const opening = open(url)
    await until('it waits for the reader', async () => {
      const [row] = await execute(url, 'select count(*)::int as count from pg_locks where not granted')
      return row?.['count'] !== 0
    })
    await until('it gave up for now', async () => {
      const [row] = await execute(url, 'select count(*)::int as count from pg_locks where not granted')
      return row?.['count'] === 0
    })
    expect(await execute(url, "select relkind from pg_class where oid = 'events'::regclass")).toEqual([
      { relkind: 'r' },
    ])
    await reader.query('commit')
    await reader.end()
    const ledger = await opening
    expect((await ledger.counts()).events).toBe(1)
    await ledger.close()
  })
})
