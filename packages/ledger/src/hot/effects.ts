import type { Kysely, Transaction } from 'kysely'
import type { Documents, Document } from '../sealing/documents.ts'
import type { Tables } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Core } from '../core.ts'
import { numberOf } from '../resource-number.ts'

/** Identifies one effect of one handler on one resource. */
interface EffectKey {
  resourceId: string
  handler: string
  key: string
}

/** The recorded result of an effect; `undefined` if it never succeeded. */
export async function readEffect(
  db: Kysely<Tables>,
  { resourceId, handler, key }: EffectKey,
  documents: Documents,
): Promise<{ document: Document | undefined } | undefined> {
  const row = await db
    .selectFrom('effects')
    .select('value')
    .where('resource', '=', numberOf(resourceId))
    .where('handler', '=', handler)
    .where('key', '=', key)
    .executeTakeFirst()
  return row && { document: documents.read(row.value, sealContext.effect(resourceId, handler, key)) }
}

/** Records the start of an effect; resolves with whether an earlier start has no recorded end. */
export async function beginEffect(
  trx: Transaction<Tables>,
  { resourceId, handler, key }: EffectKey,
  now: number,
): Promise<{ mayHaveRun: boolean }> {
  const inserted = await trx
    .insertInto('begun_effects')
    .values({ resource: numberOf(resourceId), handler, key, begun_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return { mayHaveRun: inserted === undefined }
}

/** Deletes the recorded start of an effect. */
export async function forgetBegun(trx: Transaction<Tables>, { resourceId, handler, key }: EffectKey): Promise<void> {
  await trx
    .deleteFrom('begun_effects')
    .where('resource', '=', numberOf(resourceId))
    .where('handler', '=', handler)
    .where('key', '=', key)
    .execute()
}

/** Records an effect's success with its result as JSON; the first record wins. */
export async function recordEffect(
  trx: Transaction<Tables>,
  { resourceId, handler, key, json }: EffectKey & { json: string | undefined },
  { now, documents }: { now: number; documents: Documents },
): Promise<void> {
  const value = json === undefined ? null : documents.write(json, sealContext.effect(resourceId, handler, key))
  await trx
    .insertInto('effects')
    .values({ resource: numberOf(resourceId), handler, key, done_at: now, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await forgetBegun(trx, { resourceId, handler, key })
}

/** Records handlers' effects, which must happen once. */
export interface Effects {
  /** The recorded result of this effect as JSON, absent if it returned nothing or was purged; `undefined` if the effect never succeeded. */
  effect(resourceId: string, handler: string, key: string): Promise<{ document: Document | undefined } | undefined>
  /** Records the start of this effect; resolves with whether an earlier start has no recorded end. */
  beginEffect(resourceId: string, handler: string, key: string): Promise<{ mayHaveRun: boolean }>
  /** Deletes its recorded start: it certainly did not happen. */
  forgetBegun(resourceId: string, handler: string, key: string): Promise<void>
  /** Records this effect's success with its result as JSON; the first record wins. */
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
