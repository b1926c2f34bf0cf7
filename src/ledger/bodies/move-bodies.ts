import type { Kysely } from 'kysely'
import type { Seal } from '../seal.ts'
import type { Tables } from '../tables.ts'
import { bodyKeyOf } from './body-key.ts'
import type { BodyStore } from './body-store.ts'
import { noteGone } from './gone-bodies.ts'

type Db = Kysely<Tables>

/** What one step of moving bodies did. */
export interface MoveStep {
  moved: number
  /** Ask with it for the next step; absent: that was all. */
  cursor: number | undefined
}

interface MoveDeps {
  db: Db
  seal: Pick<Seal, 'digest' | 'keyOf'>
  store: Pick<BodyStore, 'put'>
  now: number
  write<T>(work: (trx: Db) => Promise<T>, touches: () => readonly string[]): Promise<T>
}

/** How old an event is whose body is moved: until then polls and handlers may look into it. */
export const movedAfterMs = 86_400_000
/** Events that one step looks at. */
const lookedAtOnce = 500
/** Bodies that one step moves: few enough that they fit into memory, one at least. */
const movedAtOnce = { count: 40, bytes: 16_777_216 }

/**
 * Moves the bodies of the next few events after `cursor` to the store. First they are put there, then a commit that finds each body still as it was read empties it and notes its key:
 * killed in between, the next turn puts them there again under the same keys. What is not sealed stays, and so do the bodies of outreach attempts, which are all that pawl knows of one:
 * nothing that handlers do waits for the store. Throws `BodyStoreAway` once what could be put is noted.
 */
export async function moveBodies(cursor: number, deps: MoveDeps): Promise<MoveStep> {
  const { db, now } = deps
  const looked = await readSizes(db, cursor)
  const old = looked.filter((row) => row.received_at < now - movedAfterMs)
  const ids: number[] = []
  let bytes = 0
  let isCut = false
  for (const { id, size, isElsewhere, kind } of old) {
    if (size === 0 || isElsewhere || kind === 'provider_outreach') continue
    if (ids.length > 0 && (ids.length === movedAtOnce.count || bytes + size > movedAtOnce.bytes)) {
      isCut = true
      break
    }
    ids.push(id)
    bytes += size
  }
  const reached = (isCut ? ids.at(-1) : old.at(-1)?.id) ?? cursor
  const isDone = !isCut && old.length < lookedAtOnce
  return { moved: await moveThese(ids, deps), cursor: isDone ? undefined : reached }
}

async function readSizes(db: Db, cursor: number) {
  return db
    .selectFrom('events')
    .leftJoin('resources', 'resources.id', 'events.resource_id')
    .select(['events.id', 'events.received_at', 'resources.kind'])
    .select((eb) => [
      eb.fn<number>('length', ['events.body']).as('size'),
      eb('events.body_key', 'is not', null).as('isElsewhere'),
    ])
    .where('events.id', '>', cursor)
    .orderBy('events.id')
    .limit(lookedAtOnce)
    .execute()
}

async function moveThese(ids: readonly number[], { db, seal, store, write }: MoveDeps): Promise<number> {
  if (ids.length === 0) return 0
  const rows = await db
    .selectFrom('events')
    .select(['id', 'resource_id', 'fingerprint', 'received_at', 'body'])
    .where('id', 'in', ids)
    .where('body_key', 'is', null)
    .orderBy('id')
    .execute()
  const sealed = rows.filter(({ body }) => body.length > 0 && seal.keyOf(body) !== 'none')
  const puts = await Promise.allSettled(
    sealed.map(async (row) => {
      const key = bodyKeyOf(row, seal)
      await store.put(key, row.body)
      return { ...row, key }
    }),
  )
  const put = puts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const moved =
    put.length === 0
      ? 0
      : await write(
          async (trx) => {
            let count = 0
            for (const row of put) if (await noteMoved(trx, row)) count += 1
            return count
          },
          () => [...new Set(put.map((row) => row.resource_id))],
        )
  const failed = puts.find((each) => each.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return moved
}

interface PutRow {
  id: number
  body: Uint8Array
  key: string
}

async function noteMoved(trx: Db, { id, body, key }: PutRow): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('events')
    .set({ body: Buffer.alloc(0), body_key: key })
    .where('id', '=', id)
    .where('body_key', 'is', null)
    .where('body', '=', body)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return true
  const row = await trx
    .selectFrom('events')
    .select((eb) => ['body_key', eb.fn<number>('length', ['body']).as('size')])
    .where('id', '=', id)
    .executeTakeFirst()
  // Another process moved it too, or it was sealed anew and is moved at the next turn; else it was erased meanwhile.
  const isWanted = row !== undefined && (row.body_key === key || (row.body_key === null && row.size > 0))
  if (!isWanted) await noteGone(trx, [key])
  return false
}
