import type { Kysely } from 'kysely'
import type { ResealStep } from '../ledger.ts'
import { type Seal, SealBroken } from '../seal.ts'
import type { Tables } from '../tables.ts'
import type { Part } from '../walk.ts'
import type { BodyStore } from './body-store.ts'
import { noteGone } from './gone-bodies.ts'
import { type MovedBody, readMoved } from './moved-rows.ts'

type Db = Kysely<Tables>

interface ResealDeps {
  db: Db
  seal: Seal
  store: Pick<BodyStore, 'get' | 'put'>
  dryRun: boolean
  write(work: (trx: Db) => Promise<unknown>): Promise<unknown>
}

/** Seals with the newest key the bodies of this part that are in the store, each in its place there, and adds them to `step`; one that is missing counts as unreadable. Throws `BodyStoreAway`. */
export async function resealMoved(part: Part, step: ResealStep, deps: ResealDeps): Promise<ResealStep> {
  const moved = await readMoved(deps.db, {
    resourceIds: part.resources.map(({ id }) => id),
    strayIds: part.strays.map(({ id }) => id),
  })
  for (const body of moved) {
    const stored = await deps.store.get(body.key)
    if (stored === undefined) {
      step.unreadable += 1
      continue
    }
    const key = deps.seal.keyOf(stored)
    step.keys[key] = (step.keys[key] ?? 0) + 1
    if (deps.seal.isUpToDate(stored)) continue
    const plain = open(stored, body, deps.seal)
    if (plain === 'unreadable') step.unreadable += 1
    else {
      step.resealed += 1
      if (!deps.dryRun) await replace(body, deps.seal.seal(plain, body.place), deps)
    }
  }
  return step
}

function open(stored: Uint8Array, { place }: MovedBody, seal: Seal): Uint8Array | 'unreadable' {
  try {
    return seal.open(stored, place)
  } catch (error) {
    if (error instanceof SealBroken) return 'unreadable'
    throw error
  }
}

async function replace({ eventId, key }: MovedBody, bytes: Uint8Array, { store, write }: ResealDeps): Promise<void> {
  await store.put(key, bytes)
  await write(async (trx) => {
    const row = await trx.selectFrom('events').select('body_key').where('id', '=', eventId).executeTakeFirst()
    // Erased while it was sealed anew: it must not come back.
    if (row?.body_key !== key) await noteGone(trx, [key])
  })
}
