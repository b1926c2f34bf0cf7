import { type Kysely, sql, type Transaction } from 'kysely'
import type { Documents, Document } from '../sealing/documents.ts'
import { setPersonWait, personWaitRow, type PersonWait } from './person-wait.ts'
import { readStates } from './states.ts'
import type { Tables } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { noteUpkeep, readUpkeep } from '../upkeep/upkeep.ts'
import type { SnapshotNote } from './notes.ts'
import type { Delivery } from './accept.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { newestWebhookIn, readHeads } from './heads.ts'

/** A resource that may have changed without a webhook, and its known state. */
export interface Pollable {
  resourceId: string
  kind: ResourceKind
  snapshot: Document | undefined
  ageMs: number
  newestEventId: number
  /** Its newest webhook, if at most minutes old. */
  webhook: { body: Document | undefined; ageMs: number } | undefined
}

/** The result of a poll. */
export type PollResult =
  /** `pollInMs`: milliseconds until the next poll; absent: no further poll. */
  | { of: 'unchanged' | 'failed'; pollInMs: number | undefined; personWait?: PersonWait }
  /** The new snapshot, and the event that announces it. */
  | { of: 'changed'; snapshot: Omit<SnapshotNote, 'eventId'>; event: Delivery }

export interface PollCounts {
  /** Resources due for a poll, or with a requested poll not tried yet. */
  toPoll: number
  /** Resources with a requested poll not tried yet. */
  reconciling: number
  /** Resources whose requested poll failed; they are retried. */
  unreadable: number
  /** Whether the newest reconcile was cancelled. */
  reconcileCancelled: boolean
}

type Db = Kysely<Tables>

interface At {
  now: number
}

/** Ids of idle resources due for a poll, longest waiting first. */
export async function findPollable(db: Db, limit: number, { now }: At): Promise<string[]> {
  const rows = await db
    .selectFrom('resources')
    .select('id')
    .where('next_poll_at', '<=', now)
    .where('due_at', 'is', null)
    .orderBy('next_poll_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Claims the resources still due for a poll, for `holdMs`, by compare-and-set. */
export async function claimPolls(
  trx: Transaction<Tables>,
  ids: readonly string[],
  { now, holdMs, documents }: At & { holdMs: number; documents: Documents },
): Promise<Pollable[]> {
  if (ids.length === 0) return []
  const rows = await trx
    .updateTable('resources')
    .set({ next_poll_at: now + holdMs })
    .where('id', 'in', ids)
    .where('next_poll_at', '<=', now)
    .where('due_at', 'is', null)
    .returning(['number', 'id', 'kind', 'first_event_at', 'newest_event_id', 'heads'])
    .execute()
  const webhooks = await readWebhooks(trx, rows, { now, documents })
  const states = await readStates(trx, rows, documents)
  return rows.map((row) => {
    const state = states.get(row.number)
    return {
      resourceId: row.id,
      kind: row.kind,
      snapshot: state?.kept(state.row.version),
      ageMs: now - row.first_event_at,
      newestEventId: row.newest_event_id,
      webhook: webhooks.get(row.id),
    }
  })
}

/** By then the API has caught up with a webhook; older bodies are large and not read. Milliseconds. */
const freshMs = 300_000

/** The newest webhook of each of these resources, if recent. */
async function readWebhooks(
  trx: Transaction<Tables>,
  resources: readonly Pick<Tables['resources'], 'heads'>[],
  { now, documents }: At & { documents: Documents },
): Promise<Map<string, Pollable['webhook']>> {
  const ids = resources.flatMap(({ heads }) => newestWebhookIn(readHeads(heads)) ?? [])
  if (ids.length === 0) return new Map()
  const rows = await trx
    .selectFrom('events')
    .select(['resource_id', 'fingerprint', 'body', 'received_at'])
    .where('id', 'in', ids)
    .where('received_at', '>', now - freshMs)
    .execute()
  return new Map(
    rows.map(({ resource_id: id, fingerprint, body, received_at: receivedAt }) => [
      id,
      { body: documents.read(body, sealContext.body(id, fingerprint)), ageMs: now - receivedAt },
    ]),
  )
}

/** Milliseconds until the next poll of an idle resource; zero or negative when one is due. */
export async function readNextPollIn(db: Db, { now }: At): Promise<number | undefined> {
  const row = await db
    .selectFrom('resources')
    .select('next_poll_at as at')
    .where('next_poll_at', 'is not', null)
    .where('due_at', 'is', null)
    .orderBy('next_poll_at')
    .limit(1)
    .executeTakeFirst()
  return typeof row?.at === 'number' ? row.at - now : undefined
}

/** Records a poll that found no change, and the time of the next one. */
export async function notePolled(
  trx: Transaction<Tables>,
  resourceId: string,
  { of, pollInMs, personWait }: Exclude<PollResult, { of: 'changed' }>,
  { now }: At,
): Promise<void> {
  const failed = of === 'failed'
  await trx
    .updateTable('resources')
    .set((eb) => ({
      ...(personWait && setPersonWait(personWaitRow(personWait, now))),
      next_poll_at: pollInMs === undefined ? null : Math.ceil(now + pollInMs),
      reads: failed ? eb.ref('reads') : eb('reads', '+', 1),
      reconcile: failed
        ? eb
            .case()
            .when('reconcile', 'is', null)
            .then(null)
            .else('failed' as const)
            .end()
        : null,
    }))
    .where('id', '=', resourceId)
    .execute()
}

/** Resources per step of `pollSoon`: few enough not to delay other writes. */
const stepSize = 200

/** Among the next few resources after `cursor`, those that may still change, and those with an event since `since`, even if terminal. Their newest events are looked up one by one: there is no index by time. */
export async function findUnsettled(
  db: Db,
  cursor: number,
  since: number,
): Promise<{ ids: string[]; cursor: number | undefined }> {
  const rows = await db
    .selectFrom('resources')
    .select(['number', 'id', 'kind'])
    .select((eb) =>
      eb
        .or([
          eb('next_poll_at', 'is not', null),
          eb('terminal', '=', 0),
          eb(
            eb.selectFrom('events').select('received_at').whereRef('events.id', '=', 'resources.newest_event_id'),
            '>=',
            since,
          ),
        ])
        .as('is_unsettled'),
    )
    .where('number', '>', cursor)
    .orderBy('number')
    .limit(stepSize)
    .execute()
  // A boolean or a number, depending on the database.
  const unsettled = rows.filter((row) => Boolean(row.is_unsettled) && row.kind !== 'provider_outreach')
  return { ids: unsettled.map(({ id }) => id), cursor: rows.length < stepSize ? undefined : rows.at(-1)?.number }
}

/** Row of `upkeep` that marks the newest reconcile as cancelled. */
const cancelled = 'reconcile_cancelled'

/** Clears earlier unreadable marks, whose resources are polled anew, and an earlier cancellation. */
export async function beginReconcile(trx: Transaction<Tables>): Promise<void> {
  await trx.updateTable('resources').set({ reconcile: null }).where('reconcile', '=', 'failed').execute()
  await trx.deleteFrom('upkeep').where('task', '=', cancelled).execute()
}

/** Makes these due for a poll, and marks the poll as requested. */
export async function pollNow(trx: Transaction<Tables>, ids: readonly string[], { now }: At): Promise<void> {
  await trx
    .updateTable('resources')
    .set((eb) => ({
      next_poll_at: now,
      reconcile: 'asked',
      former_poll_at: eb
        .case()
        .when('reconcile', '=', 'asked')
        .then(eb.ref('former_poll_at'))
        .else(eb.ref('next_poll_at'))
        .end(),
    }))
    .where('id', 'in', ids)
    .execute()
}

/** Stops a reconcile that still goes through the resources. */
export async function noteCancelled(trx: Transaction<Tables>, { now }: At): Promise<void> {
  await noteUpkeep(trx, cancelled, now)
}

/** Whether the newest reconcile was cancelled. */
export async function isReconcileCancelled(db: Db): Promise<boolean> {
  return (await readUpkeep(db, cancelled)) !== undefined
}

/** The next few resources with a requested poll that no round has begun. */
export async function findAsked(db: Db, { now }: At): Promise<string[]> {
  const rows = await db.selectFrom('resources').select('id').where(isAsked(now)).limit(stepSize).execute()
  return rows.map(({ id }) => id)
}

/** Returns these resources to their own poll times, unless a round has begun; resolves with the number returned. */
export async function cancelPolls(trx: Transaction<Tables>, ids: readonly string[], { now }: At): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('resources')
    .set((eb) => ({ next_poll_at: eb.ref('former_poll_at'), reconcile: null }))
    .where('id', 'in', ids)
    .where(isAsked(now))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** A round moves `next_poll_at` into the future while it reads the resource. */
const isAsked = (now: number) => sql<boolean>`reconcile = 'asked' and next_poll_at <= ${now}`

/** Resources due for a poll, those of them whose poll was requested, and those whose requested poll could not be read; max `limit` of each. */
export async function countPolls(db: Db, { now, limit }: At & { limit: number }): Promise<PollCounts> {
  const { rows } = await sql<Record<'due' | 'reconciling' | 'unreadable', number>>`select
    (select count(*) from (
      select 1 from resources where next_poll_at <= ${now} and due_at is null and reconcile is null limit ${limit}
    ) as waiting) as due,
    (select count(*) from (
      select 1 from resources where reconcile = 'asked' and due_at is null limit ${limit}
    ) as waiting) as reconciling,
    (select count(*) from (select 1 from resources where reconcile = 'failed' limit ${limit}) as waiting) as unreadable`.execute(
    db,
  )
  const { due, reconciling, unreadable } = rows[0] ?? { due: 0, reconciling: 0, unreadable: 0 }
  return { toPoll: due + reconciling, reconciling, unreadable, reconcileCancelled: await isReconcileCancelled(db) }
}
