import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { PawlError } from '../errors.ts'
import type { Claim, EventRecord, HandlerNames, ClaimToken, Progress, Release } from './ledger.ts'
import type { Documents } from './documents.ts'
import { createRowStatement } from './statement.ts'
import type { EventSource, Tables } from './tables.ts'

/** The lease ended and somebody else may hold the resource now: whatever this run found must not be recorded. */
export class ClaimLost extends PawlError {
  readonly code = 'claim_lost'
  override readonly retry = 'backoff'
}

interface At {
  now: number
}

const updateClaimed = createRowStatement(
  (db, { resourceId, owner, until, now }: { resourceId: string; owner: string; until: number; now: number }) =>
    db
      .updateTable('resources')
      .set((eb) => ({
        claim_owner: owner,
        claim_until: until,
        claims_lost: eb
          .case()
          .when('claim_owner', 'is', null)
          .then(eb.ref('claims_lost'))
          .else(eb('claims_lost', '+', 1))
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
    processName,
    now,
    documents,
  }: At & { leaseMs: number; handlerNames: HandlerNames; processName: string; documents: Documents },
): Promise<Claim | undefined> {
  const owner = `${processName}${randomUUID()}`
  const [row] = (await updateClaimed(trx, { resourceId, owner, until: now + leaseMs, now })).rows
  if (row === undefined) return undefined
  const { rows } = await selectProgress(trx, { resourceId })
  const progress = new Map(
    rows.map((entry): [string, Progress] => [
      entry.handler,
      {
        state: entry.state,
        handledEventId: entry.handled_event_id,
        triedEventId: entry.tried_event_id,
        baseline: documents.read(entry.baseline),
        attempts: entry.attempts,
        dueInMs: entry.due_at === null ? undefined : entry.due_at - now,
      },
    ]),
  )
  const document = documents.read(row.snapshot)
  const handled = (handlerNames[row.kind] ?? []).map((handler) => progress.get(handler)?.handledEventId ?? 0)
  const events = await readEventsAfter(trx, row, Math.min(...handled))
  return {
    resourceId,
    kind: row.kind,
    claimedAt: now,
    owner,
    claimsLost: row.claims_lost,
    firstEventAt: row.first_event_at,
    newestEventId: row.newest_event_id,
    parked: rows.flatMap(({ handler, state }) => (state === 'parked' ? [handler] : [])),
    snapshot:
      document === undefined || row.snapshot_event_id === null
        ? undefined
        : { document, eventId: row.snapshot_event_id },
    terminal: row.terminal === 1,
    progress,
    events: events.map(toRecord),
    newestBody: documents.read(events.find(({ id }) => id === row.newest_event_id)?.body ?? null),
  }
}

interface EventRow {
  id: number
  event_type: string
  received_at: number
  source: EventSource
  repeats: number
  /** Of the newest alone. */
  body: Uint8Array | null
}

const selectEventsAfter = createRowStatement(
  (db, { id, newest, afterId }: { id: string; newest: number; afterId: number }) =>
    db
      .selectFrom('events')
      .select(['id', 'event_type', 'received_at', 'source', 'repeats'])
      .select((eb) => eb.case().when('id', '=', newest).then(eb.ref('body')).else(null).end().as('body'))
      .where('resource_id', '=', id)
      .where('id', '>', afterId)
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

function toRecord({ id, event_type: type, received_at: receivedAt, source, repeats }: EventRow): EventRecord {
  return { id, type, receivedAt, source, repeats }
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

type ReleasedRow = Pick<Tables['resources'], 'id' | 'due_at' | 'rest_until'> & { claims_lost: number }
const updateReleased = createRowStatement((db, { id, ...row }: ReleasedRow) =>
  db
    .updateTable('resources')
    .set({ claim_owner: null, claim_until: null, ...row })
    .where('id', '=', id),
)

/** Gives a resource that is held back to rest; what was stored since the claim has it due when the rest is over. */
export async function releaseClaim(
  trx: Transaction<Tables>,
  token: ClaimToken,
  { dueInMs, restMs, claimsLost = 0 }: Release,
  { newestEventId, now }: At & { newestEventId: number },
): Promise<number | undefined> {
  const next = newestEventId > token.newestEventId ? restMs : earlier(dueInMs, await readReleasedIn(trx, token, now))
  const due = next === undefined ? null : now + next
  await updateReleased(trx, { id: token.resourceId, due_at: due, rest_until: now + restMs, claims_lost: claimsLost })
  return next
}

/** Milliseconds until parked work is due that was released while the resource was held. */
async function readReleasedIn(trx: Transaction<Tables>, token: ClaimToken, now: number): Promise<number | undefined> {
  if (token.parked.length === 0) return undefined
  const row = await trx
    .selectFrom('progress')
    .select((eb) => eb.fn.min('due_at').as('at'))
    .where('resource_id', '=', token.resourceId)
    .where('handler', 'in', token.parked)
    .where('state', '=', 'due')
    .executeTakeFirst()
  return typeof row?.at === 'number' ? Math.max(0, row.at - now) : undefined
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

const selectHolder = createRowStatement((db, { resourceId }: { resourceId: string }) =>
  db.selectFrom('resources').select(['newest_event_id', 'claim_owner']).where('id', '=', resourceId),
)

/** Resolves with the resource's newest event. Throws `ClaimLost` unless the claim is still held. */
export async function assertHeld(trx: Transaction<Tables>, token: ClaimToken): Promise<number> {
  const [row] = (await selectHolder(trx, { resourceId: token.resourceId })).rows
  if (row?.claim_owner === token.owner) return row.newest_event_id
  throw new ClaimLost(`The lease on ${token.resourceId} ended before its work did; another worker takes it over.`)
}
