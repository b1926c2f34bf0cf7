import type { Kysely } from 'kysely'
import type { ResealStep } from '../ledger.ts'
import type { Seal } from '../seal.ts'
import type { Tables } from '../tables.ts'
import type { Part } from '../walk.ts'
import { BodyMissing, type BodyStore, BodyStoreAway } from './body-store.ts'
import { countGone, deleteGone } from './gone-bodies.ts'
import { type MoveStep, moveBodies } from './move-bodies.ts'
import { type MovedBody, readMoved } from './moved-rows.ts'
import { reconcileBodies } from './reconcile-bodies.ts'
import { resealMoved } from './reseal-moved.ts'

type Db = Kysely<Tables>

interface MovedBodiesDeps {
  db: Db
  seal: Seal
  /** Absent: bodies stay in the ledger; those that were moved before cannot be read. */
  store: BodyStore | undefined
  now(): Promise<number>
  write<T>(work: (trx: Db) => Promise<T>, touches?: () => readonly string[]): Promise<T>
}

/** Read at once. */
const readsAtOnce = 16

/** The bodies of a ledger that are in a store of their own. */
export type MovedBodies = ReturnType<typeof createMovedBodies>

/** Moves bodies to the store, reads them there, and deletes them there. */
export function createMovedBodies({ db, seal, store, now, write }: MovedBodiesDeps) {
  function theStore(): BodyStore {
    if (store !== undefined) return store
    throw new BodyStoreAway('Bodies were moved to a store, and BODY_STORE is not set: set it as it was.')
  }

  const asked: Pick<BodyStore, 'get' | 'put'> = {
    get: (key) => theStore().get(key),
    put: (key, bytes) => theStore().put(key, bytes),
  }

  async function read(of: { resourceIds: readonly string[]; strayIds: readonly number[] }) {
    const moved = await readMoved(db, of)
    const found: (MovedBody & { stored: Uint8Array | undefined })[] = []
    for (let at = 0; at < moved.length; at += readsAtOnce) {
      const some = moved.slice(at, at + readsAtOnce)
      found.push(...(await Promise.all(some.map(async (body) => ({ ...body, stored: await asked.get(body.key) })))))
    }
    return found
  }

  return {
    /** One small step of moving what is older than a day. */
    move: async (cursor: number): Promise<MoveStep> =>
      store === undefined
        ? { moved: 0, cursor: undefined }
        : moveBodies(cursor, { db, seal, store, write, now: await now() }),

    /** Deletes from the store what is not wanted any more; resolves with how many. */
    async tidy(keepMs: number): Promise<number> {
      if (store === undefined) return 0
      const gone = await deleteGone(db, store, write)
      return gone + (await reconcileBodies(db, store, { now: await now(), keepMs }))
    },

    /** Deletes from the store what was erased; resolves with how many are left since the store is away. */
    async deleteGone(): Promise<number> {
      const left = await countGone(db)
      if (left === 0 || store === undefined) return left
      try {
        await deleteGone(db, store, write)
        return 0
      } catch (error) {
        if (error instanceof BodyStoreAway) return countGone(db)
        throw error
      }
    },

    /** The bodies of these resources, and of these events of none, that are in the store, sealed as they are there; absent where the store has none of that key. Throws `BodyStoreAway`. */
    read,

    /** Of one resource, opened. Throws `BodyMissing`, `BodyStoreAway`, `SealBroken`. */
    async open(resourceId: string): Promise<{ eventId: number; body: Uint8Array }[]> {
      const found = await read({ resourceIds: [resourceId], strayIds: [] })
      return found.map(({ eventId, stored, place }) => {
        if (stored === undefined)
          throw new BodyMissing(`The store has no body of event ${eventId}, though it was moved there.`)
        return { eventId, body: seal.open(stored, place) }
      })
    },

    /** Seals with the newest key what the store has of this part. */
    reseal: async (part: Part, step: ResealStep, dryRun: boolean): Promise<ResealStep> =>
      resealMoved(part, step, { db, seal, dryRun, write, store: asked }),
  }
}
