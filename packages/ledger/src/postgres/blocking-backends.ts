import { type Kysely, sql } from 'kysely'
import type { LockHolder } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** Shorter waits are the rule between writers. */
const waitsLong = sql`interval '1 second'`

/** Backends at the head of each queue in which a connection of pawl has waited for a lock for a second. Every user sees ids and application names, and none of the statements. */
export async function readBlockingBackends(db: Kysely<Tables>): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    with recursive waits as (
      select unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity
      where datname = current_database() and application_name like 'pawl%' and wait_event_type = 'Lock'
        and query_start < clock_timestamp() - ${waitsLong}
      union select unnest(pg_blocking_pids(waits.pid)) from waits)
    select distinct holder.pid, coalesce(holder.application_name, '') as name
    from waits join pg_stat_activity as holder using (pid)
    where cardinality(pg_blocking_pids(pid)) = 0`.execute(db)
  return rows
}
