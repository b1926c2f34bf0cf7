import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { PawlError } from '../errors.ts'
import type { Claim, EventRecord, HandlerNames, ClaimToken, Progress, Release } from './ledger.ts'
import type { Documents } from './documents.ts'
import { readOwnChanges } from './own-changes.ts'
import { createRowStatement } from './statement.ts'
import type { EventSource, Tables } from './tables.ts'
import { placeOf } from './place.ts'

/** The lease ended and somebody else may hold the resource now: whatever this run found must not be recorded. */
export class ClaimLost extends PawlError {
  readonly code = 'claim_lost'
  override readonly retry = 'backoff'
}

interface At {
  now: number
}

interface NewClaim {
  resourceId: string
  owner: string
  until: number
  alone: number
}

const updateClaimed = createRowStatement((db, { resourceId, owner, until, alone, now }: NewClaim & At) =>
  db
    .updateTable('resources')
    .set((eb) => ({
      claim_owner: owner,
      claim_until: until,
      claim_alone: alone,
      // Still there: the claim before was never given back.
      suspect: eb.case().when('claim_owner', 'is not', null).then(1).else(eb.ref('suspect')).end(),
      // One of many that were in work together is to blame for that, but which?
      claims_lost: eb
        .case()
        .when(eb.and([eb('claim_owner', 'is not', null), eb('claim_alone', '=', 1)]))
        .then(eb('claims_lost', '+', 1))
        .else(eb.ref('claims_lost'))
        .end(),
    }))
    .where('id', '=', resourceId)
    .where('due_at', '<=', now)
    .where((eb) => eb.or([eb('claim_until', 'is', null), eb('claim_until', '<=', now)]))
    .returningAll(),
)
const selectProgress = createRowStatement((db, { resourceId }: { resourceId: string }) =>
  db.selectFrom('progress').selectAll().where('resource_id', '=', resourceId),
)

/** Takes a due and free resource by compare-and-set (rule 4). */
export async function claimResource(
  trx: Transaction<Tables>,
  resourceId: string,
  {
    leaseMs,
    handlerNames,
    alone,
    processName,
    now,
    documents,
  }: At & {
    leaseMs: number
    handlerNames: HandlerNames
    alone: boolean
    processName: string
    documents: Documents
  },
): Promise<Claim | undefined> {
  const owner = `${processName}${randomUUID()}`
  const claim = { resourceId, owner, until: now + leaseMs, alone: alone ? 1 : 0 }
  const [row] = (await updateClaimed(trx, { ...claim, now })).rows
  if (row === undefined) return undefined
  const { rows } = await selectProgress(trx, { resourceId })
  const progress = new Map(
    rows.map((entry): [string, Progress] => [
      entry.handler,
      {
        state: entry.state,
        handledEventId: entry.handled_event_id,
        triedEventId: entry.tried_event_id,
        baseline: documents.read(entry.baseline, placeOf.snapshot(resourceId)),
        tried: documents.read(entry.tried, placeOf.tried(resourceId, entry.handler)),
        attempts: entry.attempts,
        errorCode: entry.error_code ?? undefined,
        dueInMs: entry.due_at === null ? undefined : entry.due_at - now,
      },
    ]),
  )
  const document = documents.read(row.snapshot, placeOf.snapshot(resourceId))
  const handled = (handlerNames[row.kind] ?? []).map((handler) => progress.get(handler)?.handledEventId ?? 0)
  // Bounded at both ends: on PostgreSQL, each partition that they might be in would be searched.
  const events = await readEventsAfter(trx, row, Math.max(Math.min(...handled), (row.first_event_id ?? 1) - 1))
  const newest = events.find(({ id }) => id === row.newest_event_id)
  return {
    resourceId,
    kind: row.kind,
    claimedAt: now,
    owner,
    suspect: row.suspect === 1,
    claimsLost: row.claims_lost,
    firstEventAt: row.first_event_at,
    newestEventId: row.newest_event_id,
    retries: row.retries,
    snapshot:
      document === undefined || row.snapshot_event_id === null
        ? undefined
        : { document, eventId: row.snapshot_event_id },
    terminal: row.terminal === 1,
    progress,
    ownChanges: readOwnChanges(row.own_changes, now),
    events: events.map(toRecord),
    newestBody: newest && documents.read(newest.body, placeOf.body(resourceId, newest.fingerprint)),
  }
}

interface EventRow {
  id: number
  event_type: string
  received_at: number
  source: EventSource
  repeats: number
  fingerprint: Uint8Array
  traceparent: string | null
  /** Of the newest alone. */
  body: Uint8Array | null
}

const selectEventsAfter = createRowStatement(
  (db, { id, newest, afterId }: { id: string; newest: number; afterId: number }) =>
    db
      .selectFrom('events')
      .select(['id', 'event_type', 'received_at', 'source', 'repeats', 'fingerprint', 'traceparent'])
      .select((eb) => eb.case().when('id', '=', newest).then(eb.ref('body')).else(null).end().as('body'))
      .where('resource_id', '=', id)
      .where('id', '>', afterId)
      .where('id', '<=', newest)
      .orderBy('id'),
)

/** Oldest first. */
async function readEventsAfter(
  trx: Transaction<Tables>,
  { id, newest_event_id: newest }: { id: string; newest_event_id: number },
  afterId: number,
): Promise<readonly EventRow[]> {
  return afterId >= newest ? [] : (await selectEventsAfter(trx, { id, newest, afterId })).rows
}

function toRecord({
  id,
  event_type: type,
  received_at: receivedAt,
  source,
  repeats,
  traceparent,
}: EventRow): EventRecord {
  return { id, type, receivedAt, source, repeats, ...(traceparent !== null && { traceparent }) }
}

/** Prolongs the lease of a claim that is still held. */
export async function renewClaim(
  trx: Transaction<Tables>,
  token: ClaimToken,
  leaseMs: number,
  { now }: At,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('resources')
    .set({ claim_until: now + leaseMs })
    .where('id', '=', token.resourceId)
    .where('claim_owner', '=', token.owner)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

interface ReleasedRow {
  id: string
  due_at: number | null
  rest_until: number
  /** 1 leaves claims_lost and suspect as they are, 0 resets both. */
  keep: number
}
const updateReleased = createRowStatement((db, { id, keep, ...row }: ReleasedRow) =>
  db
    .updateTable('resources')
    .set((eb) => ({
      claim_owner: null,
      claim_until: null,
      ...row,
      suspect: eb('suspect', '*', keep),
      claims_lost: eb('claims_lost', '*', keep),
    }))
    .where('id', '=', id),
)

/** What became of a resource while its claim was held. */
export interface Held {
  newestEventId: number
  retries: number
  lookupMark: string | null
}

/** Lets a resource rest that is given back; what was stored since the claim makes it due when the rest is over. */
export async function releaseClaim(
  trx: Transaction<Tables>,
  token: ClaimToken,
  { dueInMs, restMs, untried = false }: Release,
  { held, now }: At & { held: Held },
): Promise<number | undefined> {
  const isRetried = held.retries > token.retries
  const next = held.newestEventId > token.newestEventId ? restMs : isRetried ? 0 : dueInMs
  const due = next === undefined ? null : now + next
  await updateReleased(trx, { id: token.resourceId, due_at: due, rest_until: now + restMs, keep: untried ? 1 : 0 })
  return next
}

const selectHolder = createRowStatement((db, { resourceId }: { resourceId: string }) =>
  db
    .selectFrom('resources')
    .select(['newest_event_id', 'retries', 'lookup_mark', 'claim_owner'])
    .where('id', '=', resourceId),
)

/** Resolves with what became of the resource since the claim. Throws `ClaimLost` unless it is still held. */
export async function assertHeld(trx: Transaction<Tables>, token: ClaimToken): Promise<Held> {
  const [row] = (await selectHolder(trx, { resourceId: token.resourceId })).rows
  if (row?.claim_owner === token.owner)
    return { newestEventId: row.newest_event_id, retries: row.retries, lookupMark: row.lookup_mark }
  throw new ClaimLost(`The lease on ${token.resourceId} ended before its work did; another worker takes it over.`)
}
