import { Client } from 'pg'
import { systemClock } from '../packages/base/src/clock.ts'
import { openStorage } from '../packages/ledger/src/open-storage.ts'

const eventsEach = 5
const day = 86_400_000
const type = 'prior_authorization.status_change'
/** Rows that one statement inserts. */
const atOnce = 500_000

/** Fills a new database with the events of 60 days, small and long in sync. */
export async function fillPostgres(url: string, events: number, say: (line: string) => void): Promise<void> {
  const { db } = await openStorage(url, { clock: systemClock, onError: () => {} })
  await db.destroy()
  const client = new Client({ connectionString: url })
  await client.connect()
  const resources = Math.ceil(events / eventsEach)
  const from = Date.now() - 60 * day
  for (let first = 1; first <= events; first += atOnce) {
    const last = Math.min(first + atOnce - 1, events)
    await client.query(
      `insert into events (id, resource, previous, resource_id, kind, event_type, fingerprint, body, received_at, source)
      select n, n % ${resources} + 1, case when n > ${resources} then n - ${resources} end, 'pa_req_' || md5((n % ${resources})::text), 'prior_authorization', '${type}', sha256(n::text::bytea), repeat('x', 100)::bytea,
        ${from} + n * ${Math.floor((60 * day) / events)}::bigint, 'webhook' from generate_series(${first}, ${last}) as n`,
    )
    say(`${last.toLocaleString('en')} events`)
  }
  await client.query(`insert into projections (name, last_id, stored) values ('deliveries', ${events}, ${events})`)
  await client.query(
    `insert into resources (number, id, kind, first_event_at, newest_event_id, heads, terminal)
    select resource, resource_id, 'prior_authorization', received_at, id, '{}', 1 from events where id > ${events - resources}`,
  )
  await client.query(`select setval('events_id_seq', ${events})`)
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}
