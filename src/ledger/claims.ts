import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { PawlError } from '../errors.ts'
import type { Claim, Hold, Progress } from './ledger.ts'
import type { Documents } from './documents.ts'
import type { Tables } from './tables.ts'

/** The lease ended and somebody else may hold the resource now: whatever this run found must not be recorded. */
export class ClaimLost extends PawlError {
  readonly code = 'claim_lost'
  override readonly retry = 'backoff'
}

interface At {
  now: number
}

/** Takes a due and free resource by compare-and-set (rule 4). */
export async function claimResource(
  trx: Transaction<Tables>,
  resourceId: string,
  leaseMs: number,
  { now, documents }: At & { documents: Documents },
): Promise<Claim | undefined> {
  const owner = randomUUID()
  const row = await trx
    .updateTable('resources')
    .set({ claim_owner: owner, claim_until: now + leaseMs })
    .where('id', '=', resourceId)
    .where('due_at', '<=', now)
    .where((eb) => eb.or([eb('claim_until', 'is', null), eb('claim_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const rows = await trx.selectFrom('progress').selectAll().where('resource_id', '=', resourceId).execute()
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
  return {
    resourceId,
    kind: row.kind,
    claimedAt: now,
    owner,
    firstEventAt: row.first_event_at,
    newestEventId: row.newest_event_id,
    parked: rows.flatMap(({ handler, state }) => (state === 'parked' ? [handler] : [])),
    snapshot:
      document === undefined || row.snapshot_event_id === null
        ? undefined
        : { document, eventId: row.snapshot_event_id },
    terminal: row.terminal === 1,
    progress,
  }
}

/** Prolongs the lease of a claim that is still held. */
export async function renewClaim(trx: Transaction<Tables>, hold: Hold, leaseMs: number, { now }: At): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('resources')
    .set({ claim_until: now + leaseMs })
    .where('id', '=', hold.resourceId)
    .where('claim_owner', '=', hold.owner)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives a resource back to rest; what was stored since the claim has it due when the rest is over. */
export async function releaseClaim(
  trx: Transaction<Tables>,
  hold: Hold,
  { dueInMs, restMs }: { dueInMs: number | undefined; restMs: number },
  { now }: At,
): Promise<number | undefined> {
  const row = await trx
    .selectFrom('resources')
    .select(['newest_event_id', 'claim_owner'])
    .where('id', '=', hold.resourceId)
    .executeTakeFirst()
  if (row?.claim_owner !== hold.owner) return undefined
  const next =
    row.newest_event_id > hold.newestEventId ? restMs : earlier(dueInMs, await readReleasedIn(trx, hold, now))
  await trx
    .updateTable('resources')
    .set({
      claim_owner: null,
      claim_until: null,
      due_at: next === undefined ? null : now + next,
      rest_until: now + restMs,
    })
    .where('id', '=', hold.resourceId)
    .execute()
  return next
}

/** Milliseconds until parked work is due that was released while the resource was held. */
async function readReleasedIn(trx: Transaction<Tables>, hold: Hold, now: number): Promise<number | undefined> {
  if (hold.parked.length === 0) return undefined
  const row = await trx
    .selectFrom('progress')
    .select((eb) => eb.fn.min('due_at').as('at'))
    .where('resource_id', '=', hold.resourceId)
    .where('handler', 'in', hold.parked)
    .where('state', '=', 'due')
    .executeTakeFirst()
  return typeof row?.at === 'number' ? Math.max(0, row.at - now) : undefined
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** Throws `ClaimLost` unless the claim is still held. */
export async function assertHeld(trx: Transaction<Tables>, hold: Hold): Promise<void> {
  const row = await trx
    .selectFrom('resources')
    .select('claim_owner')
    .where('id', '=', hold.resourceId)
    .executeTakeFirst()
  if (row?.claim_owner !== hold.owner) throw claimLost(hold)
}

export function claimLost({ resourceId }: Hold): ClaimLost {
  return new ClaimLost(`The lease on ${resourceId} ended before its work did; another worker takes it over.`)
}
