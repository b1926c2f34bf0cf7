import type { Tables } from './tables.ts'
import { type Kysely, type Migration, Migrator, type RawBuilder, sql } from 'kysely'

/** Column types and features that differ between databases. */
export interface ColumnTypes {
  /** A key that grows with every row. */
  id: RawBuilder<unknown>
  /** The same for a table whose newest row is never deleted, so that no number comes back. */
  keptId: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
  /** 64 bits. */
  integer: RawBuilder<unknown>
  /** Ends the definition of a table that is stored by its key, in one tree instead of two. */
  byKey: RawBuilder<unknown>
}

/** All schema changes, by name, in order; a released one is never edited. */
export type Migrations = Record<string, Migration>

/** The changes that make today's schema. */
export const migrations = ({ id, keptId, bytes, integer, byKey }: ColumnTypes): Migrations => ({
  '2026-11-ledger': {
    async up(db: Kysely<unknown>) {
      // Tables that the work writes to are keyed by a resource's number: text ids are random, and each tree by them a page more.
      await sql`create table events (
        id ${keptId},
        resource ${integer} not null,
        previous ${integer},
        resource_id text not null,
        kind text,
        event_type text not null,
        fingerprint ${bytes} not null,
        event_key text,
        body ${bytes} not null,
        received_at ${integer} not null,
        repeats ${integer} not null default 0,
        source text not null,
        traceparent text)`.execute(db)
      // Events of a resource are walked by their keys: only strays, which no row of a resource leads to, need an index.
      await sql`create index events_stray on events (resource, id) where kind is null`.execute(db)
      await sql`create table event_marks (
        mark text not null,
        resource ${integer} not null,
        event_id ${integer} not null,
        fingerprint ${bytes},
        primary key (mark, resource)) ${byKey}`.execute(db)

      await sql`create table resources (
        number ${integer} primary key,
        id text not null unique,
        kind text not null,
        first_event_at ${integer} not null,
        newest_event_id ${integer} not null,
        heads text not null,
        snapshot_event_id ${integer},
        journal_id ${integer},
        terminal ${integer} not null default 0,
        waits_for text,
        person_since ${integer},
        follows_up text,
        reads ${integer} not null default 0,
        next_poll_at ${integer},
        reconcile text,
        former_poll_at ${integer},
        own_changes text,
        due_at ${integer},
        rest_until ${integer},
        retries ${integer} not null default 0,
        claim_owner text,
        claim_until ${integer},
        claim_alone ${integer} not null default 0,
        claims_lost ${integer} not null default 0,
        suspect ${integer} not null default 0)`.execute(db)
      await sql`create index resources_due on resources (due_at) where due_at is not null`.execute(db)
      await sql`create index resources_reconcile on resources (reconcile) where reconcile is not null`.execute(db)
      // Serves counts without reading the rows, which are large.
      await sql`create index resources_to_poll on resources (next_poll_at)
        where next_poll_at is not null and due_at is null`.execute(db)
      await sql`create index resources_known on resources (kind, number)`.execute(db)
      await sql`create index resources_waiting on resources (person_since, number) where waits_for is not null`.execute(
        db,
      )
      await sql`create index resources_following on resources (follows_up) where follows_up is not null`.execute(db)

      // Written under a claim only, which proves that the resource exists.
      await sql`create table states (
        resource ${integer} primary key,
        document text not null,
        version ${integer} not null,
        snapshot ${bytes},
        identity ${bytes},
        read_at ${integer})`.execute(db)
      // By day: a later reading on the same day changes no entry.
      await sql`create index states_read on states ((read_at / 86400000)) where read_at is not null`.execute(db)
      await sql`create table baselines (
        resource ${integer} not null,
        version ${integer} not null,
        snapshot ${bytes} not null,
        read_at ${integer} not null,
        primary key (resource, version)) ${byKey}`.execute(db)
      await sql`create index baselines_read on baselines (read_at)`.execute(db)

      await sql`create table work (
        resource ${integer} not null,
        handler text not null,
        state text not null,
        tried_event_id ${integer} not null,
        attempts ${integer} not null,
        due_at ${integer},
        parked_at ${integer},
        waits_since ${integer},
        error_code text,
        error_message text,
        error_status ${integer},
        error_system text not null default '',
        failure_id ${integer} not null default 0,
        failed_at ${integer} not null,
        first_event_id ${integer} not null,
        failing_since ${integer} not null,
        primary key (resource, handler)) ${byKey}`.execute(db)
      await sql`create index work_parked_at on work (parked_at) where state = 'parked'`.execute(db)
      await sql`create index work_again on work (due_at) where state = 'parked' and due_at is not null`.execute(db)
      await sql`create index work_failed on work (handler, tried_event_id)
        where state = 'due' and waits_since is null`.execute(db)
      await sql`create index work_waits on work (waits_since) where waits_since is not null`.execute(db)
      // Groups are walked by the first four columns, and paged within by the others.
      await sql`create index work_failures on work
        (state, handler, error_system, error_code, failure_id, resource) where error_code is not null`.execute(db)
      await sql`create index work_tries on work (handler, error_system, error_code, attempts)
        where state = 'due' and error_code is not null`.execute(db)

      // Each row points to the one before it of its resource: a story needs no index.
      await sql`create table journal (
        id ${keptId},
        resource ${integer} not null,
        previous ${integer},
        at ${integer} not null,
        entry text not null)`.execute(db)

      await sql`create table effects (
        resource ${integer} not null,
        handler text not null,
        key text not null,
        done_at ${integer} not null,
        value ${bytes},
        primary key (resource, handler, key)) ${byKey}`.execute(db)
      await sql`create index effects_value on effects (done_at) where value is not null`.execute(db)
      await sql`create table begun_effects (
        resource ${integer} not null,
        handler text not null,
        key text not null,
        begun_at ${integer} not null,
        primary key (resource, handler, key)) ${byKey}`.execute(db)

      await sql`create table feed (
        id ${integer} primary key,
        resource_id text not null,
        notice_id text not null,
        reader text not null,
        body ${bytes} not null,
        at ${integer} not null,
        read_at ${integer},
        acknowledged_at ${integer},
        acknowledged_by text,
        gone text)`.execute(db)
      await sql`create unique index feed_notice on feed (notice_id)`.execute(db)
      await sql`create index feed_of on feed (resource_id, id)`.execute(db)
      await sql`create index feed_read on feed (reader, id)`.execute(db)
      await sql`create index feed_kept on feed (at) where gone is null`.execute(db)
      await sql`create index feed_open on feed (at) where acknowledged_at is null and gone is null`.execute(db)
      await sql`create table starts (
        prescription text not null,
        kind text not null,
        begun_at ${integer} not null,
        resource_id text,
        primary key (prescription, kind)) ${byKey}`.execute(db)
      await sql`create index starts_of on starts (resource_id) where resource_id is not null`.execute(db)

      await sql`create table handler_memory (
        handler text not null,
        role text not null,
        resource ${integer} not null,
        value text not null,
        written_at ${integer} not null,
        primary key (resource, handler, role)) ${byKey}`.execute(db)
      await sql`create index handler_memory_newest on handler_memory (handler, role, written_at)`.execute(db)
      await sql`create table shared_memory (
        system text not null,
        role text not null,
        foreign_id text,
        version text,
        digest text,
        holder_id text not null,
        holder_owner text not null,
        primary key (system, role)) ${byKey}`.execute(db)
      await sql`create table left_out (
        resource ${integer} not null,
        system text not null,
        type text not null,
        reason text not null,
        at ${integer} not null,
        primary key (resource, system, type)) ${byKey}`.execute(db)
      await sql`create index left_out_of on left_out (system, type, resource)`.execute(db)

      await sql`create table lookups (
        resource ${integer} not null,
        field text not null,
        digest text not null,
        primary key (resource, field, digest)) ${byKey}`.execute(db)
      await sql`create index lookups_digest on lookups (digest)`.execute(db)
      await sql`create table outcomes (
        resource ${integer} primary key,
        kind text not null,
        heard_at ${integer} not null,
        from_start ${integer} not null,
        status text not null,
        status_at ${integer} not null,
        submitted_at ${integer},
        ended_at ${integer},
        result text,
        reason text,
        is_appeal ${integer} not null,
        is_urgent ${integer} not null,
        transfer_status text,
        transfer_started_at ${integer},
        transfer_ended_at ${integer},
        practice_ms ${integer} not null,
        provider_ms ${integer} not null,
        groups ${bytes} not null)`.execute(db)
      await sql`create index outcomes_heard_at on outcomes (heard_at, resource)`.execute(db)
      for (const column of ['submitted_at', 'ended_at', 'transfer_ended_at'])
        await sql`create index ${sql.ref(`outcomes_${column}`)} on outcomes (${sql.ref(column)}, resource)
          where ${sql.ref(column)} is not null`.execute(db)

      await sql`create table processes (name text primary key)`.execute(db)
      await sql`create table outages (
        system text primary key,
        until ${integer} not null,
        asked_at ${integer})`.execute(db)
      await sql`create table pauses (
        kind text not null,
        name text not null,
        since ${integer} not null,
        reason text,
        primary key (kind, name))`.execute(db)
      await sql`create table rejections (
        id ${id},
        reason text not null,
        bytes ${integer} not null,
        rejected_at ${integer} not null)`.execute(db)

      await sql`create table alerts (
        id ${id},
        kind text not null,
        subject text not null,
        level ${integer} not null,
        count ${integer} not null,
        most ${integer} not null,
        resource_id text,
        error_code text,
        http_status ${integer},
        began_at ${integer} not null,
        opened_at ${integer} not null,
        changed_at ${integer} not null,
        closed_at ${integer},
        seen ${integer} not null,
        step ${integer} not null,
        told_url ${integer} not null,
        told_email ${integer} not null)`.execute(db)
      await sql`create unique index alerts_open on alerts (kind, subject) where closed_at is null`.execute(db)
      await sql`create index alerts_untold_url on alerts (id) where told_url < step`.execute(db)
      await sql`create index alerts_untold_email on alerts (id) where told_email < step`.execute(db)
      await sql`create table alert_targets (
        name text primary key,
        claim_owner text,
        failures ${integer} not null,
        failing_since ${integer},
        error_code text,
        next_at ${integer} not null,
        sent_at ${integer})`.execute(db)
      await sql`create table tallies (
        span text not null,
        at ${integer} not null,
        name text not null,
        value ${integer} not null,
        primary key (span, at, name)) ${byKey}`.execute(db)
      await sql`create table projections (
        name text primary key,
        last_id ${integer} not null,
        stored ${integer} not null default 0)`.execute(db)
      await sql`create table upkeep (
        task text primary key,
        done_at ${integer} not null)`.execute(db)

      await sql`create table audit (
        id ${integer} primary key,
        at ${integer} not null,
        actor text not null,
        via text not null,
        issuer text,
        subject text,
        action text not null,
        resource_id text,
        handler text,
        reason text,
        details text not null,
        previous text not null,
        hash text not null,
        signature text)`.execute(db)
      await sql`create index audit_of on audit (resource_id, id) where resource_id is not null`.execute(db)
      // One index each for the newest entries of all, of an actor, of an action and of a resource.
      await sql`create index audit_times on audit (at, id)`.execute(db)
      await sql`create index audit_actors on audit (actor, at, id)`.execute(db)
      await sql`create index audit_actions on audit (action, at, id)`.execute(db)
      await sql`create index audit_resources on audit (resource_id, at, id) where resource_id is not null`.execute(db)
      // The logins of each name, which belongs to one account.
      await sql`create index audit_logins on audit (actor, via, issuer, subject) where action = 'person.login'`.execute(
        db,
      )
      await sql`create table ended_sessions (id text primary key, until ${integer} not null) ${byKey}`.execute(db)
      await sql`create table session_time (name text primary key, at ${integer} not null)`.execute(db)
      await sql`create table audit_head (
        name text primary key,
        last_id ${integer} not null,
        hash text not null,
        signature text)`.execute(db)
      await sql`create table digest_key (name text primary key, stored ${bytes} not null, bound text)`.execute(db)
    },
  },
  '2026-11-left-out-done': {
    async up(db: Kysely<unknown>) {
      await sql`alter table left_out add column done_at ${integer}`.execute(db)
    },
  },
  '2026-11-seen-alerts': {
    async up(db: Kysely<unknown>) {
      await sql`alter table alerts add column seen_at ${integer}`.execute(db)
    },
  },
})

/** Brings the tables up to date, in `schema` if the database has several. Throws with the database's error as cause, and if a newer version of pawl changed them. */
export async function migrate(db: Kysely<Tables>, all: Migrations, schema?: string): Promise<void> {
  const provider = { getMigrations: () => Promise.resolve(all) }
  // Without the schema's name, another schema's migrations would be mistaken for this one's.
  const place = schema === undefined ? {} : { migrationTableSchema: schema }
  const { error } = await new Migrator({ db, provider, ...place }).migrateToLatest()
  if (error !== undefined) throw unusableDatabase(error)
}

/** The ledger's database cannot be used; `cause` is its error. */
export function unusableDatabase(cause: unknown): Error {
  return new Error('The database of DATABASE_URL cannot be used: is it up, and empty or a ledger of pawl?', { cause })
}
