import { type Kysely, sql } from 'kysely'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { inParts, readEventIds } from './event-chain.ts'

type Db = Kysely<Tables>

/** Resources that are due and free, longest waiting first. */
export async function readDue(db: Db, limit: number, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('resources')
    .select('id')
    .where('due_at', '<=', now)
    .where((eb) => eb.or([eb('claim_until', 'is', null), eb('claim_until', '<=', now)]))
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Rows that `readNextDueIn` reads: claimed ones sort first, and never outnumber the worker's slots. */
const firstDue = 1_000

/** Milliseconds until a resource comes due, or the lease on a due one ends. */
export async function readNextDueIn(db: Db, now: number): Promise<number | undefined> {
  const row = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('resources')
        .select(['due_at', 'claim_until'])
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(firstDue)
        .as('first'),
    )
    .select((eb) => eb.fn.min(sql<number>`case when claim_until > due_at then claim_until else due_at end`).as('at'))
    .executeTakeFirst()
  return typeof row?.at === 'number' ? row.at - now : undefined
}

/** Opened bodies of one resource's events in the ledger, oldest first. */
export async function readBodies(
  db: Db,
  resourceId: string,
  seal: Seal,
): Promise<{ eventId: number; body: Uint8Array }[]> {
  const bodies: { eventId: number; body: Uint8Array }[] = []
  for (const ids of inParts((await readEventIds(db, resourceId)).toReversed())) {
    const rows = await db
      .selectFrom('events')
      .select(['id', 'fingerprint', 'body'])
      .where('id', 'in', ids)
      .orderBy('id')
      .execute()
    for (const { id, fingerprint, body } of rows)
      // An empty body was purged.
      if (body.length > 0)
        bodies.push({ eventId: id, body: seal.open(body, sealContext.body(resourceId, fingerprint)) })
  }
  return bodies
}
