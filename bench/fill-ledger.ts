import { closeSync, fsyncSync, openSync } from 'node:fs'
import { Sqlite } from '../packages/base/src/sqlite.ts'
import { resourceIdOf } from './envelopes.ts'
import type { Stage } from './stage.ts'

const eventsEach = 5
const bytes = 1_024
const day = 86_400_000
/** Above the numbers of all PAs that are sent. */
const firstPast = 2 ** 31

/** The path of a ledger that has its schema, and nothing else. */
export async function newLedger(stage: Stage): Promise<string> {
  const file = await stage.newFile()
  // pawl makes the schema.
  const child = await stage.start('pawl', { DATABASE_URL: `file:${file}` })
  await child.stop()
  return file
}

/** Fills a ledger that has its schema, and nothing else, with the history of a month: PAs that are long in sync, each with five events, a snapshot, a run and a progress. */
export function fillLedger(file: string, events: number): void {
  const resources = Math.ceil(events / eventsEach)
  const from = Date.now() - 30 * day
  const numbers = 'with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ?)'
  const database = new Sqlite(file)
  // The file may be lost if the machine stops now.
  database.pragma('synchronous = OFF')
  database.pragma('cache_size = -500000')
  database.function('past_id', { deterministic: true }, (n) => resourceIdOf(firstPast + Number(n)))
  database.transaction(() => {
    database
      .prepare(
        `insert into resources (number, id, kind, first_event_at, newest_event_id, heads, journal_id, snapshot_event_id, terminal, reads)
        ${numbers} select n + 1, past_id(n), 'prior_authorization', ? + n, ? * ${eventsEach - 1} + n + 1, '{}', n + 1, 0, 1, 5 from numbers`,
      )
      .run(resources, from, resources)
    database
      .prepare(
        `insert into events (resource, previous, resource_id, kind, event_type, fingerprint, body, received_at, source)
        ${numbers} select n % ? + 1, case when n >= ? then n + 1 - ? end, past_id(n % ?), 'prior_authorization', 'prior_authorization.status_change', randomblob(32), randomblob(${bytes}), ? + n, 'webhook' from numbers`,
      )
      .run(events, resources, resources, resources, resources, from)
    const cursor = database.prepare('insert into projections (name, last_id, stored) values (?, ?, ?)')
    for (const name of ['lookups', 'outcomes', 'runs']) cursor.run(name, resources, 0)
    cursor.run('deliveries', events, events)
    database
      .prepare(
        `insert into states (resource, document, version, snapshot, read_at)
        select number, '{"handlers":{"prior-authorization-to-ehr":{"at":' || newest_event_id || ',"baseline":1}}}', 1, randomblob(${bytes}), first_event_at from resources`,
      )
      .run()
    database
      .prepare(
        `insert into journal (resource, at, entry)
        select number, first_event_at, '{"runs":[{"handler":"prior-authorization-to-ehr","startedAt":' || first_event_at || ',"finishedAt":' || first_event_at
          || ',"result":"succeeded","firstEventId":' || newest_event_id || ',"lastEventId":' || newest_event_id || ',"writes":[]}],"changes":[]}' from resources order by number`,
      )
      .run()
  })()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  // Else the writing back of all this would slow down the commits that are measured next.
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
