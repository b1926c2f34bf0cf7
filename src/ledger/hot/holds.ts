import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { walkKeys } from '../views/work-groups.ts'
import type { Failure } from './notes.ts'
import { heldErrors } from './waiting-errors.ts'

/** What somebody paused: all work, that of a handler, or that of a system. */
export interface Hold {
  kind: 'all' | 'handler' | 'system'
  /** Of the handler or the system; empty for all. */
  name: string
  /** By the ledger's clock: another one once it was resumed and paused anew. */
  since: number
  /** For how long already, in milliseconds. */
  forMs: number
  reason?: string
}

type Name = Pick<Hold, 'kind' | 'name'>

/** What is paused. */
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

/** Pauses it; what is paused already stays so since when it was. Resolves with whether it was not. */
export async function addHold(
  trx: Transaction<Tables>,
  { kind, name, reason }: Name & { reason?: string | undefined },
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
export async function removeHold(trx: Transaction<Tables>, { kind, name }: Name): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('holds')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  await forgetUnlessHeld(trx)
  return numDeletedRows > 0n
}

/** Whether it is paused. */
export async function isStanding(db: Kysely<Tables>, { kind, name }: Name): Promise<boolean> {
  const row = await db
    .selectFrom('holds')
    .select('since')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  return row !== undefined
}

/** The hold that a run waits for, where it failed for one. */
export function holdOf({
  handler,
  error: { code, system = '' },
}: Pick<Failure, 'handler' | 'error'>): Name | undefined {
  if (code === heldErrors.handler) return { kind: 'handler', name: handler }
  return code === heldErrors.system ? { kind: 'system', name: system } : undefined
}

/** The work that waits for this hold. */
export function heldBy({ kind, name }: Name) {
  return kind === 'handler'
    ? { errorCode: heldErrors.handler, handler: name }
    : { errorCode: heldErrors.system, system: name }
}

/** Holds that work waits for although they are gone: whoever lifted them died before all of that work was due. */
export async function findGoneHolds(db: Kysely<Tables>): Promise<Name[]> {
  const gone = new Map<string, Name>()
  for await (const { handler, system, errorCode: code } of walkKeys(db, { state: 'waiting' })) {
    const hold = holdOf({ handler, error: { code, message: '', system } })
    if (hold !== undefined && !(await isStanding(db, hold))) gone.set(`${hold.kind} ${hold.name}`, hold)
  }
  return [...gone.values()]
}

/** Whoever was let through is held by the next pause like all others. */
async function forgetUnlessHeld(trx: Transaction<Tables>): Promise<void> {
  const held = await trx.selectFrom('holds').select('kind').limit(1).executeTakeFirst()
  if (held === undefined) await trx.deleteFrom('let_through').execute()
}

/** Of due resources that nobody let through, those that wait longest. */
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

/** Of the resources whose work waits with this error, and which nobody let through, those that are longest untouched. */
export async function findHeldWork(
  db: Kysely<Tables>,
  { errorCode, handler, system }: { errorCode: string; handler?: string | undefined; system?: string | undefined },
  limit: number,
): Promise<string[]> {
  let work = db
    .selectFrom('progress')
    .select('resource_id')
    .where('state', '<>', sql.lit('synced'))
    .where('error_code', '=', errorCode)
    .where('resource_id', 'not in', (eb) => eb.selectFrom('let_through').select('resource_id'))
    .orderBy('tried_event_id')
    .limit(limit)
  if (handler !== undefined) work = work.where('handler', '=', handler)
  if (system !== undefined) work = work.where('error_system', '=', system)
  const rows = await work.execute()
  return [...new Set(rows.map((row) => row.resource_id))]
}

/** Has these worked on whatever is paused. */
export async function letThrough(trx: Transaction<Tables>, ids: readonly string[], now: number): Promise<void> {
  await trx
    .insertInto('let_through')
    .values(ids.map((id) => ({ resource_id: id, at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Whether somebody let it through. */
export async function isLetThrough(db: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await db.selectFrom('let_through').select('at').where('resource_id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** Resources that are let through and due, the longest waiting first. */
export async function readDueLetThrough(db: Kysely<Tables>, limit: number, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('let_through')
    .innerJoin('resources', 'resources.id', 'let_through.resource_id')
    .select('id')
    .where('due_at', '<=', now)
    .where((eb) => eb.or([eb('claim_until', 'is', null), eb('claim_until', '<=', now)]))
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
