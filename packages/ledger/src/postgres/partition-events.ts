import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { addAhead } from './partitions.ts'

type Db = QueryExecutorProvider

/** Creates the table of events, partitioned by number. */
export async function createEvents(trx: Db, columns: RawBuilder<unknown>): Promise<void> {
  // Partitioned tables support identity columns from PostgreSQL 17 on.
  await sql`create sequence events_id_seq as bigint`.execute(trx)
  await sql`create table events (id bigint primary key default nextval('events_id_seq'), ${columns})
    partition by range (id)`.execute(trx)
  await sql`alter sequence events_id_seq owned by events.id`.execute(trx)
}

/** Creates its first partitions, and the triggers that maintain the marks. */
export async function partitionEvents(trx: Db): Promise<void> {
  await addAhead(trx)
  await createMarks(trx)
}

/** Marks find copies without a search in every partition (known-events.ts). Triggers maintain them for every insert and delete. */
async function createMarks(trx: Db): Promise<void> {
  await sql`create table event_marks (
    resource bigint not null,
    mark text not null,
    event_id bigint not null,
    fingerprint bytea,
    primary key (resource, mark)) with (fillfactor = 80)`.execute(trx)
  await sql`create function mark_events() returns trigger language plpgsql as $$ begin
    insert into event_marks (resource, mark, event_id, fingerprint)
      select distinct on (resource, mark) resource, mark, id, fingerprint from (
        select resource, 'type:' || event_type as mark, id, fingerprint from inserted where source = 'webhook'
        union all
        select resource, 'key:' || event_key, id, null from inserted where event_key is not null) as marked
      order by resource, mark, id desc
    on conflict (resource, mark) do update set event_id = excluded.event_id, fingerprint = excluded.fingerprint
      where event_marks.event_id < excluded.event_id;
    return null;
  end $$`.execute(trx)
  await sql`create trigger mark_events after insert on events
    referencing new table as inserted for each statement execute function mark_events()`.execute(trx)
  // A mark locked by another writer already points to a newer event.
  await sql`create function unmark_events() returns trigger language plpgsql as $$ begin
    delete from event_marks where (resource, mark) in (
      select marked.resource, marked.mark from event_marks as marked join deleted
        on marked.resource = deleted.resource and marked.event_id = deleted.id
        and marked.mark in ('type:' || deleted.event_type, 'key:' || deleted.event_key)
      for update of marked skip locked);
    return null;
  end $$`.execute(trx)
  await sql`create trigger unmark_events after delete on events
    referencing old table as deleted for each statement execute function unmark_events()`.execute(trx)
}
