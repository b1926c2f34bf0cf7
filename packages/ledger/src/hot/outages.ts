import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Core } from '../core.ts'

/** A system that some process found away. */
export interface Outage {
  system: string
  /** Milliseconds for which to leave it alone. */
  remainingMs: number
  /** When a person last requested an immediate probe. */
  askedAt: number | undefined
}

export async function readOutages(db: Kysely<Tables>, now: number): Promise<Outage[]> {
  const rows = await db.selectFrom('outages').selectAll().where('until', '>', now).execute()
  return rows.map(({ system, until, asked_at }) => ({
    system,
    remainingMs: until - now,
    askedAt: asked_at ?? undefined,
  }))
}

/** Records that a system is away for `forMs`, or back. */
export async function noteOutage(
  trx: Transaction<Tables>,
  system: string,
  forMs: number | undefined,
  now: number,
): Promise<void> {
  if (forMs === undefined) {
    await trx.deleteFrom('outages').where('system', '=', system).execute()
    return
  }
  const row = { until: Math.ceil(now + forMs) }
  await trx
    .insertInto('outages')
    .values({ system, ...row })
    .onConflict((conflict) => conflict.column('system').doUpdateSet(row))
    .execute()
}

/** Requests an immediate probe of a system, and of every refused kind of request, by all processes. */
export async function askAtOnce(trx: Transaction<Tables>, system: string, now: number): Promise<void> {
  const ofKind = `${system}: `
  await trx
    .updateTable('outages')
    .set({ asked_at: now })
    .where((eb) => eb.or([eb('system', '=', system), sql<boolean>`substr(system, 1, ${ofKind.length}) = ${ofKind}`]))
    .execute()
}

/** Shares outages among all processes. */
export interface Outages {
  /** Systems found away by any process. */
  outages(): Promise<Outage[]>
  /** Tells all processes that a system is away, or, without `forMs`, that it is back. */
  noteOutage(system: string, forMs: number | undefined): Promise<void>
}

export function createOutages({ db, storage, commits }: Core): Outages {
  return {
    outages: async () => readOutages(db, await storage.now(db)),
    noteOutage: (system, forMs) => commits.write((trx, now) => noteOutage(trx, system, forMs, now)),
  }
}
