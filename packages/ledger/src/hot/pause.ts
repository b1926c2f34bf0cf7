import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Failure } from './notes.ts'
import { pausedErrors } from './waiting-errors.ts'

/** A pause by a person: of all work, of one handler, or of one system. */
export interface Pause {
  kind: 'all' | 'handler' | 'system'
  /** Name of the handler or the system; empty for all. */
  name: string
  /** By the ledger's clock. A pause after a resume has a new one. */
  since: number
  /** Milliseconds since `since`. */
  forMs: number
  reason?: string
}

/** Reason of a pause of all work at the start, mostly after a restored backup. */
export const pausedAtStart = 'pawl was started with START_PAUSED or --paused'

/** Subject of a pause. */
export type PauseTarget = Pick<Pause, 'kind' | 'name'>

/** Everything paused now. */
export async function readPauses(db: Kysely<Tables>, now: number): Promise<Pause[]> {
  const rows = await db.selectFrom('pauses').selectAll().orderBy('since').execute()
  return rows.map(({ kind, name, since, reason }) => ({
    kind,
    name,
    since,
    forMs: Math.max(0, now - since),
    ...(reason !== null && { reason }),
  }))
}

/** Pauses work; an existing pause keeps its `since`. Resolves with whether the pause is new. */
export async function addPause(
  trx: Transaction<Tables>,
  { kind, name, reason }: PauseTarget & { reason?: string | undefined },
  now: number,
): Promise<boolean> {
  const added = await trx
    .insertInto('pauses')
    .values({ kind, name, since: now, reason: reason ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('since')
    .executeTakeFirst()
  return added !== undefined
}

/** Ends a pause; resolves with whether there was one. */
export async function removePause(trx: Transaction<Tables>, { kind, name }: PauseTarget): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pauses')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function isPaused(db: Kysely<Tables>, { kind, name }: PauseTarget): Promise<boolean> {
  const row = await db
    .selectFrom('pauses')
    .select('since')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  return row !== undefined
}

/** The pause that a failed run waits for, if any. */
export function pauseOf({
  handler,
  error: { code, system = '' },
}: Pick<Failure, 'handler' | 'error'>): PauseTarget | undefined {
  if (code === pausedErrors.handler) return { kind: 'handler', name: handler }
  return code === pausedErrors.system ? { kind: 'system', name: system } : undefined
}

/** Filter for the work that waits for this pause. */
export function workOf({ kind, name }: PauseTarget) {
  return kind === 'handler'
    ? { errorCode: pausedErrors.handler, handler: name }
    : { errorCode: pausedErrors.system, system: name }
}
