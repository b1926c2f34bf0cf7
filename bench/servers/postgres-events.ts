import { Pool } from 'pg'
import type { Envelope } from './hand-written-receiver.ts'
import { sayError } from './say-error.ts'

/** A table of events on PostgreSQL, and the INSERT into it that most write: on node-postgres' pool, each in a commit of its own. */
export async function createPostgresEvents(url: string): Promise<(envelope: Envelope) => Promise<unknown>> {
  const pool = new Pool({ connectionString: url })
  pool.on('error', sayError)
  await pool.query(`create table if not exists events (
    id bigint generated always as identity primary key,
    resource_id text, event_type text, body text not null, received_at bigint not null)`)
  return (envelope) =>
    pool.query('insert into events (resource_id, event_type, body, received_at) values ($1, $2, $3, $4)', [
      envelope.data.id,
      envelope.event_type,
      JSON.stringify(envelope),
      Date.now(),
    ])
}
