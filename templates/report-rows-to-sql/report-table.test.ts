import { readFile } from 'node:fs/promises'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aPriorAuthorization, approved, connectorContract, type Fault } from '#pawl/testing'
import { describeWithMariadb, startMariadb, type TestMariadb } from '../../test/support/mariadb.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { startRelay } from '../../test/support/relay.ts'
import { createTestRun } from '../../test/support/run-context.ts'
import { rowOfPriorAuthorization } from './report-row.ts'
import { reportTable } from './report-table.ts'

const readme = await readFile(new URL('./README.md', import.meta.url), 'utf8')
const [, definition = ''] = /```sql\n([\s\S]*?)```/.exec(readme) ?? []
const table = 'pawl_report'

const waiting = rowOfPriorAuthorization(aPriorAuthorization({ id: 'pa_req_1', status: 'awaiting_review' }))
const ended = rowOfPriorAuthorization(aPriorAuthorization({ id: 'pa_req_1', status: 'completed', outcome: approved() }))
const [monday, tuesday] = [new Date('2026-03-02T09:00:00.000Z'), new Date('2026-03-03T09:00:00.000Z')]

/** A database with the table, and a way to ask it. */
interface Stand {
  url: string
  ask(statement: string): Promise<Record<string, unknown>[]>
}

function describeReports(create: () => Promise<Stand>) {
  it('has one row, with the times of the first state, of this one and of the end', async () => {
    const { url, ask } = await create()
    const system = reportTable({ REPORT_URL: url, REPORT_TABLE: table })
    expect(await system.check?.(new AbortController().signal)).toMatchObject({ ok: true })
    const run = createTestRun()
    await system.open(run).putRow(waiting, monday)
    await system.open(run).putRow(ended, tuesday)
    // Told again, it changes nothing, and is dated as before.
    await system.open(run).putRow(ended, new Date('2026-03-09T09:00:00Z'))
    await system.close?.()
    const rows = await ask(`select * from ${table}`)
    expect(rows).toMatchObject([
      { id: waiting.id, status: 'completed', result: 'Approved', first_told_at: monday, status_told_at: tuesday },
    ])
    expect(rows[0]?.ended_at).toEqual(tuesday)
    expect(run.receipts).toHaveLength(2)
  })

  it('never gives way to an older state, also where the memory of the newer is lost', async () => {
    const { url, ask } = await create()
    const settings = { REPORT_URL: url, REPORT_TABLE: table }
    const newer = reportTable(settings, { now: () => 2_000 })
    const older = reportTable(settings, { now: () => 1_000 })
    await newer.open(createTestRun()).putRow(ended, tuesday)
    await older.open(createTestRun()).putRow(waiting, monday)
    expect(await ask(`select status from ${table}`)).toEqual([{ status: 'completed' }])
    await newer.close?.()
    await older.close?.()
  })

  it('goes on where the clock goes back', async () => {
    const { url, ask } = await create()
    const clock = { at: 2_000, now: () => clock.at }
    const system = reportTable({ REPORT_URL: url, REPORT_TABLE: table }, clock)
    const run = createTestRun()
    await system.open(run).putRow(waiting, monday)
    clock.at = 1_000
    await system.open(run).putRow(ended, tuesday)
    expect(await ask(`select status from ${table}`)).toEqual([{ status: 'completed' }])
    await system.close?.()
  })

  it('says what is wrong with the table, and writes nothing', async () => {
    const { url } = await create()
    const system = reportTable({ REPORT_URL: url, REPORT_TABLE: 'elsewhere' })
    expect(await system.check?.(new AbortController().signal)).toEqual({
      ok: false,
      findings: ['The table elsewhere does not exist, or its user may not see it.'],
    })
    await expect(system.open(createTestRun()).putRow(ended, monday)).rejects.toMatchObject({
      retry: 'never',
      mayBeOutage: true,
    })
    await system.close?.()
  })
}

describeWithPostgres('the table of reports in PostgreSQL', () => {
  let server: TestPostgres
  const clients: Client[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const client of clients) await client.end()
    await server.close()
  })

  async function create() {
    const url = await server.createDatabase()
    const client = new Client(url)
    clients.push(client)
    await client.connect()
    await client.query(definition)
    return {
      url,
      client,
      ask: async (statement: string) => (await client.query<Record<string, unknown>>(statement)).rows,
    }
  }
  describeReports(create)

  describe('keeps the contract of connectors', () => {
    const rules = connectorContract({
      async start() {
        const { url, client, ask } = await create()
        const address = new URL(url)
        const relay = await startRelay(Number(address.port))
        address.port = String(relay.port)
        return {
          connect: () => reportTable({ REPORT_URL: address.href, REPORT_TABLE: table }),
          async held(resourceId: string) {
            const { id } = rowOfPriorAuthorization(aPriorAuthorization({ id: resourceId }))
            return (await ask(`select status from ${table} where id = '${id}'`)).map(({ status }) => status)
          },
          async fail(fault?: Fault) {
            await client.query(`alter table ${table} drop constraint if exists closed`)
            if (fault === 'refusal')
              await client.query(`alter table ${table} add constraint closed check (false) not valid`)
            if (fault === 'silence' || fault === 'lost_answer') relay.fail(fault)
            else relay.fail(fault === 'cut' || fault === 'unavailable' ? 'cut' : undefined)
          },
          connections: async () => relay.connections(),
          close: () => relay.close(),
        }
      },
      faults: ['refusal', 'unavailable', 'silence', 'cut', 'lost_answer'],
      states: (id) => [
        { ...aPriorAuthorization({ id, status: 'processing' }), patient: { first_name: 'Kanarina' } },
        { ...aPriorAuthorization({ id, status: 'awaiting_review' }), patient: { first_name: 'Kanarina' } },
      ],
      write: (reports, state) => reports.putRow(rowOfPriorAuthorization(state), monday),
      patientData: ['Kanarina'],
    })
    for (const { name, check } of rules) it(name, check)
  })
})

describeWithMariadb('the table of reports in MariaDB', () => {
  let server: TestMariadb
  beforeAll(async () => {
    server = await startMariadb()
  })
  afterAll(() => server.close())

  describeReports(async () => {
    const url = await server.createDatabase()
    await server.ask(url, definition.replaceAll('timestamptz', 'datetime(3)'))
    return {
      url,
      async ask(statement: string) {
        const connection = await createConnection({ uri: url, timezone: 'Z' })
        const [rows] = await connection.query<RowDataPacket[]>(statement)
        await connection.end()
        return rows
      },
    }
  })
})

it('without an address refuses to write, and says so', async () => {
  const { open, notice } = reportTable({ REPORT_TABLE: table })
  await expect(open(createTestRun()).putRow(ended, monday)).rejects.toMatchObject({ code: 'connector_not_configured' })
  expect(notice).toContain('REPORT_URL')
})
