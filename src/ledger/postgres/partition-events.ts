import { type QueryExecutorProvider, sql } from 'kysely'
import { openPostgresPool } from '../../postgres-pool.ts'
import { addAhead, partitionBefore, readLastId } from './partitions.ts'

type Db = QueryExecutorProvider

/** Says of the events of before that all of them are below a number; with it, PostgreSQL need not read them while everybody waits. */
const bound = 'events_below'
/** A table of so many rows is read in no time. */
const smallTable = 100_000
/** Numbers left to processes of the version before, which go on for as long as it takes to replace them. */
const spare = 100_000_000
/** Whoever waits for the table keeps those waiting who come after him. */
const lockTimeout = '2s'

/** Makes the table of events ready to become a partition. It is read once, however large it is, while others read and write it; a small one, and one that is partitioned already, is left as it is. */
export async function prepareForPartitions(connectionString: string): Promise<void> {
  const { pool, close } = openPostgresPool({ connectionString, max: 1, application_name: 'pawl' })
  pool.on('error', () => {})
  try {
    const { rows: tables } = await pool.query(
      "select 1 from pg_class where oid = to_regclass('events') and relkind = 'r'",
    )
    if (tables.length === 0) return
    const { rows: many } = await pool.query(`select 1 from events offset ${smallTable} limit 1`)
    if (many.length === 0) return
    const { rows: bounds } = await pool.query<{ definition: string }>(
      `select pg_get_constraintdef(oid) as definition from pg_constraint
      where conname = $1 and conrelid = 'events'::regclass`,
      [bound],
    )
    // A string, as pg gives an integer of 64 bits.
    const { rows: numbers } = await pool.query<{ last: string }>('select last_value as last from events_id_seq')
    const last = Number(numbers[0]?.last)
    const [before] = bounds
    await pool.query(`set lock_timeout = '${lockTimeout}'`)
    // One that was left by a start that failed may have been there for long.
    const isKept = before !== undefined && readBound(before.definition) > last + spare / 2
    if (!isKept)
      await pool.query(`alter table events drop constraint if exists ${bound},
        add constraint ${bound} check (id < ${last + spare}) not valid`)
    await pool.query(`alter table events validate constraint ${bound}`)
  } finally {
    await close()
  }
}

/** Puts the table of events, as it is, below a table of the same name that is partitioned by their numbers: what is there becomes its first partition, whose rows are not read anew where `prepareForPartitions` did that. Processes of the version before go on with it. */
export async function partitionEvents(trx: Db): Promise<void> {
  const { rows: tables } = await sql`select 1 from pg_class where oid = 'events'::regclass and relkind = 'r'`.execute(
    trx,
  )
  if (tables.length === 0) return
  await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(trx)
  // Both at once: whoever holds one of them while he waits for the other is never waited for.
  await sql`lock table events, resources in access exclusive mode`.execute(trx)
  const indexes = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'events' and schemaname = current_schema() and indexname <> 'events_pkey'`.execute(trx)
  const next = await readNext(trx)
  const before = sql.id(partitionBefore)

  await sql`alter table events rename to ${before}`.execute(trx)
  await sql`alter index events_pkey rename to ${sql.id(`${partitionBefore}_pkey`)}`.execute(trx)
  for (const { name } of indexes.rows)
    await sql`alter index ${sql.id(name)} rename to ${sql.id(`before_${name}`)}`.execute(trx)
  // Identities of partitioned tables came with PostgreSQL 17.
  await sql`alter table ${before} alter column id drop identity`.execute(trx)
  await sql`create table events (like ${before} including defaults) partition by range (id)`.execute(trx)
  await sql`alter table events add primary key (id)`.execute(trx)
  await sql`create sequence events_id_seq as bigint start with ${sql.lit(next)} owned by events.id`.execute(trx)
  await sql`alter table events alter column id set default nextval('events_id_seq')`.execute(trx)
  await copyGrants(trx)
  for (const { definition } of indexes.rows) await sql.raw(definition).execute(trx)
  const { rows } = await sql`select 1 from ${before} limit 1`.execute(trx)
  if (rows.length === 0) await sql`drop table ${before}`.execute(trx)
  else {
    await sql`alter table events attach partition ${before}
      for values from (minvalue) to (${sql.lit(next)})`.execute(trx)
    await sql`alter table ${before} drop constraint if exists ${sql.id(bound)}`.execute(trx)
  }
  await addAhead(trx)
  await createMarks(trx)
}

/** The number that events go on from. */
async function readNext(trx: Db): Promise<number> {
  const { rows } = await sql<{ definition: string }>`select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = 'events'::regclass and conname = ${bound} and convalidated`.execute(trx)
  const [known] = rows
  return known === undefined ? (await readLastId(trx)) + 1 : readBound(known.definition)
}

/** As PostgreSQL writes the constraint: `CHECK ((id < '100000001'::bigint))`. */
function readBound(definition: string): number {
  return Number(/\d+/.exec(definition)?.[0])
}

/** Who else may read or write the table still may. */
async function copyGrants(trx: Db): Promise<void> {
  await sql`do $$ declare granted record; begin
    for granted in select privilege_type as privilege,
        case grantee when 0 then 'public' else grantee::regrole::text end as grantee
      from pg_class, aclexplode(relacl) where pg_class.oid = ${sql.lit(partitionBefore)}::regclass and grantee <> relowner
    loop execute format('grant %s on events to %s', granted.privilege, granted.grantee); end loop; end $$`.execute(trx)
}

/** What a copy is recognised by without a search in every partition (known-events.ts). Triggers keep it, since processes of the version before know nothing of it. */
async function createMarks(trx: Db): Promise<void> {
  await sql`create table event_marks (
    resource_id text not null,
    mark text not null,
    event_id bigint not null,
    fingerprint bytea,
    primary key (resource_id, mark)) with (fillfactor = 80)`.execute(trx)
  await sql`create function mark_events() returns trigger language plpgsql as $$ begin
    insert into event_marks (resource_id, mark, event_id, fingerprint)
      select distinct on (resource_id, mark) resource_id, mark, id, fingerprint from (
        select resource_id, 'type:' || event_type as mark, id, fingerprint from inserted
        union all
        select resource_id, 'key:' || event_key, id, null from inserted where event_key is not null) as marked
      order by resource_id, mark, id desc
    on conflict (resource_id, mark) do update set event_id = excluded.event_id, fingerprint = excluded.fingerprint
      where event_marks.event_id < excluded.event_id;
    return null;
  end $$`.execute(trx)
  await sql`create trigger mark_events after insert on events
    referencing new table as inserted for each statement execute function mark_events()`.execute(trx)
  // A mark that somebody writes to just now leads to a newer event already.
  await sql`create function unmark_events() returns trigger language plpgsql as $$ begin
    delete from event_marks where (resource_id, mark) in (
      select marked.resource_id, marked.mark from event_marks as marked join deleted
        on marked.resource_id = deleted.resource_id and marked.event_id = deleted.id
        and marked.mark in ('type:' || deleted.event_type, 'key:' || deleted.event_key)
      for update of marked skip locked);
    return null;
  end $$`.execute(trx)
  await sql`create trigger unmark_events after delete on events
    referencing old table as deleted for each statement execute function unmark_events()`.execute(trx)
}
