import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

type Db = QueryExecutorProvider

/** Creates the table of events, partitioned by number. */
export async function createEvents(trx: Db, columns: RawBuilder<unknown>): Promise<void> {
  // Partitioned tables support identity columns from PostgreSQL 17 on.
  await sql`create sequence events_id_seq as bigint`.execute(trx)
  await sql`create table events (id bigint primary key default nextval('events_id_seq'), ${columns})
    partition by range (id)`.execute(trx)
  await sql`alter sequence events_id_seq owned by events.id`.execute(trx)
}
