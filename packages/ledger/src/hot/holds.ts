import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { fits } from './work-filter.ts'
import type { Failure } from './notes.ts'
import { heldErrors } from './waiting-errors.ts'

/** A pause by a person: of all work, of one handler, or of one system. */
export interface Hold {
  kind: 'all' | 'handler' | 'system'
  /** Name of the handler or the system; empty for all. */
  name: string
  /** By the ledger's clock. A pause after a resume has a new one. */
  since: number
  /** Milliseconds since `since`. */
  forMs: number
  reason?: string
}

/** Why all work is paused where nobody paused it: after a restored backup, mostly. */
export const heldAtStart = 'pawl was started with HOLD or --hold'

/** Subject of a pause. */
export type HoldName = Pick<Hold, 'kind' | 'name'>

/** Everything paused now. */
export async function readHolds(db: Kysely<Tables>, now: number): Promise<Hold[]> {
  const rows = await db.selectFrom('holds').selectAll().orderBy('since').execute()
  return rows.map(({ kind, name, since, reason }) => ({
    kind,
    name,
    since,
    forMs: Math.max(0, now - since),
    ...(reason !== null && { reason }),
  }))
}

/** Pauses work; an existing pause keeps its `since`. Resolves with whether the pause is new. */
export async function addHold(
  trx: Transaction<Tables>,
  { kind, name, reason }: HoldName & { reason?: string | undefined },
  now: number,
): Promise<boolean> {
  await forgetUnlessHeld(trx)
  const added = await trx
    .insertInto('holds')
    .values({ kind, name, since: now, reason: reason ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('since')
    .executeTakeFirst()
  return added !== undefined
}

/** Resolves with whether it was paused. */
export async function removeHold(trx: Transaction<Tables>, { kind, name }: HoldName): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('holds')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  await forgetUnlessHeld(trx)
  return numDeletedRows > 0n
}

export async function isHoldActive(db: Kysely<Tables>, { kind, name }: HoldName): Promise<boolean> {
  const row = await db
    .selectFrom('holds')
    .select('since')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  return row !== undefined
}

/** The hold that a failed run waits for, if any. */
export function holdOf({
  handler,
  error: { code, system = '' },
}: Pick<Failure, 'handler' | 'error'>): HoldName | undefined {
  if (code === heldErrors.handler) return { kind: 'handler', name: handler }
  return code === heldErrors.system ? { kind: 'system', name: system } : undefined
}

/** Filter for the work that waits for this hold. */
export function workOf({ kind, name }: HoldName) {
  return kind === 'handler'
    ? { errorCode: heldErrors.handler, handler: name }
    : { errorCode: heldErrors.system, system: name }
}

/** Once nothing is paused, let-through marks go: the next pause holds those resources too. */
async function forgetUnlessHeld(trx: Transaction<Tables>): Promise<void> {
  const held = await trx.selectFrom('holds').select('kind').limit(1).executeTakeFirst()
  if (held === undefined) await trx.deleteFrom('let_through').execute()
}

/** Due resources not let through, longest waiting first. */
export async function findHeldDue(db: Kysely<Tables>, limit: number, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('resources')
    .select('id')
    .where('due_at', '<=', now)
    .where('id', 'not in', (eb) => eb.selectFrom('let_through').select('resource_id'))
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Resources whose work waits for this hold and which were not let through, longest untouched first. */
export async function findHeldWork(db: Kysely<Tables>, hold: HoldName, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('progress')
    .innerJoin('resources', 'number', 'resource')
    .select('resources.id')
    .where('state', '<>', sql.lit('synced'))
    .where(fits(workOf(hold)))
    .where('resources.id', 'not in', (eb) => eb.selectFrom('let_through').select('resource_id'))
    .orderBy('tried_event_id')
    .limit(limit)
    .execute()
  return [...new Set(rows.map(({ id }) => id))]
}

/** Exempts these resources from every hold. */
export async function letThrough(trx: Transaction<Tables>, ids: readonly string[], now: number): Promise<void> {
  await trx
    .insertInto('let_through')
    .values(ids.map((id) => ({ resource_id: id, at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function isLetThrough(db: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await db.selectFrom('let_through').select('at').where('resource_id', '=', id).executeTakeFirst()
  return row !== undefined
}
