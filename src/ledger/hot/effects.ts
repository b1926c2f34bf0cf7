import type { Kysely, Transaction } from 'kysely'
import type { Documents, Document } from '../sealing/documents.ts'
import type { Tables } from '../tables.ts'
import { placeOf } from '../sealing/place.ts'
import type { Core } from '../core.ts'

/** Names one effect of one handler on one resource. */
interface EffectKey {
  resourceId: string
  handler: string
  key: string
}

/** What `once` recorded of an effect; `undefined` where it never succeeded. */
export async function readEffect(
  db: Kysely<Tables>,
  { resourceId, handler, key }: EffectKey,
  documents: Documents,
): Promise<{ document: Document | undefined } | undefined> {
  const row = await db
    .selectFrom('effects')
    .select('value')
    .where('resource_id', '=', resourceId)
    .where('handler', '=', handler)
    .where('key', '=', key)
    .executeTakeFirst()
  return row && { document: documents.read(row.value, placeOf.effect(resourceId, handler, key)) }
}

/** Notes that an effect begins; resolves with whether it was begun before, and nobody saw its end. */
export async function beginEffect(
  trx: Transaction<Tables>,
  { resourceId, handler, key }: EffectKey,
  now: number,
): Promise<{ mayHaveRun: boolean }> {
  const inserted = await trx
    .insertInto('begun_effects')
    .values({ resource_id: resourceId, handler, key, begun_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return { mayHaveRun: inserted === undefined }
}

/** Forgets that an effect was begun. */
export async function forgetBegun(trx: Transaction<Tables>, { resourceId, handler, key }: EffectKey): Promise<void> {
  await trx
    .deleteFrom('begun_effects')
    .where('resource_id', '=', resourceId)
    .where('handler', '=', handler)
    .where('key', '=', key)
    .execute()
}

/** Records that an effect succeeded, with the JSON of what it returned; the first record stands. */
export async function recordEffect(
  trx: Transaction<Tables>,
  { resourceId, handler, key, json }: EffectKey & { json: string | undefined },
  { now, documents }: { now: number; documents: Documents },
): Promise<void> {
  const value = json === undefined ? null : documents.write(json, placeOf.effect(resourceId, handler, key))
  await trx
    .insertInto('effects')
    .values({ resource_id: resourceId, handler, key, done_at: now, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await forgetBegun(trx, { resourceId, handler, key })
}

/** Remembers effects of handlers that must happen once. */
export interface Effects {
  /** What `once` recorded of this effect: the JSON of what it returned, which is absent where it returned nothing or was purged since; `undefined` where it never succeeded. */
  effect(resourceId: string, handler: string, key: string): Promise<{ document: Document | undefined } | undefined>
  /** Notes that this effect begins; resolves with whether it was begun before, and nobody saw its end. */
  beginEffect(resourceId: string, handler: string, key: string): Promise<{ mayHaveRun: boolean }>
  /** Takes back that it was begun: it surely did not happen. */
  forgetBegun(resourceId: string, handler: string, key: string): Promise<void>
  /** Records that this effect succeeded, with the JSON of what it returned; the first record stands. */
  recordEffect(resourceId: string, handler: string, key: string, json?: string): Promise<void>
}

export function createEffects({ db, writeTo, documents }: Core): Effects {
  return {
    effect: (resourceId, handler, key) => readEffect(db, { resourceId, handler, key }, documents),
    beginEffect: (resourceId, handler, key) =>
      writeTo(resourceId, (trx, now) => beginEffect(trx, { resourceId, handler, key }, now)),
    forgetBegun: (resourceId, handler, key) =>
      writeTo(resourceId, (trx) => forgetBegun(trx, { resourceId, handler, key })),
    recordEffect: (resourceId, handler, key, json) =>
      writeTo(resourceId, (trx, now) => recordEffect(trx, { resourceId, handler, key, json }, { now, documents })),
  }
}
