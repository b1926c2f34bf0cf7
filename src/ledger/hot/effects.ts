import type { Kysely, Transaction } from 'kysely'
import type { Documents, Document } from '../sealing/documents.ts'
import type { Tables } from '../tables.ts'
import { placeOf } from '../sealing/place.ts'

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
