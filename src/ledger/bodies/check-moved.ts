import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Part } from '../walk.ts'
import { type BodyStore, BodyStoreAway } from './body-store.ts'
import { type MovedBody, readMoved } from './moved-rows.ts'

/** A body of this part that was moved, as it is stored; or why it is not there. */
export type CheckedBody = MovedBody & ({ stored: Uint8Array } | { fault: string })

/** Asks the store for every body of this part that was moved there; `undefined`: no store is set. A store that is away is a fault of each. */
export async function checkMoved(
  db: Kysely<Tables>,
  { resources, strays }: Part,
  store: Pick<BodyStore, 'get'> | undefined,
): Promise<CheckedBody[]> {
  const moved = await readMoved(db, {
    resourceIds: resources.map(({ id }) => id),
    strayIds: strays.map(({ id }) => id),
  })
  const checked: CheckedBody[] = []
  for (const body of moved) checked.push({ ...body, ...(await ask(body, store)) })
  return checked
}

async function ask({ eventId, key }: MovedBody, store: Pick<BodyStore, 'get'> | undefined) {
  if (store === undefined) return { fault: `The body of event ${eventId} is in a store, and BODY_STORE is not set.` }
  try {
    const stored = await store.get(key)
    return stored === undefined
      ? { fault: `The store has no body of event ${eventId}: ${key} is missing.` }
      : { stored }
  } catch (error) {
    if (error instanceof BodyStoreAway) return { fault: error.message }
    throw error
  }
}
