import type { Transaction } from 'kysely'
import type { Settled } from './batch.ts'
import { ClaimLost, type ClaimToken, type GiveBack } from './claims.ts'
import { readHeldStates, releaseAll } from './held-states.ts'
import type { Documents } from '../sealing/documents.ts'
import { findFreed } from './freed.ts'
import { recordNotes } from './progress.ts'
import { makeRetried } from './make-due.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import type { Note } from './notes.ts'

/** Notes of a claim's holder, and how the resource is given back, if it is. */
export interface Recording {
  token: ClaimToken
  notes: readonly Note[]
  release?: GiveBack
}

/** Records the notes of claims still held and releases those to be given back. Resolves with the milliseconds until each is due, or `ClaimLost`. */
export async function recordAll(
  trx: Transaction<Tables>,
  recordings: readonly Recording[],
  deps: { now: number; documents: Documents; seal: Seal; keepHolds: Storage['keepHolds'] },
): Promise<Settled<number | undefined>[]> {
  const found = await readHeldStates(
    trx,
    recordings.map(({ token }) => token),
  )
  const held = recordings.flatMap((recording, index) => {
    const state = found[index]
    return state === undefined || state instanceof ClaimLost ? [] : { ...recording, held: state }
  })
  const freed = await findFreed(trx, held, deps.keepHolds)
  await recordNotes(trx, held, { ...deps, isFreed: (note) => freed.notes.has(note) })
  await makeRetried(trx, [...freed.resourceIds], deps.now)
  const released = held.flatMap(({ token, held, release }) => {
    const retries = held.retries + (freed.resourceIds.has(token.resourceId) ? 1 : 0)
    return release === undefined ? [] : { token, held: { ...held, retries }, release }
  })
  const delays = await releaseAll(trx, released, deps)
  const delayOf = new Map(released.map(({ token }, index) => [token, delays[index]]))
  return recordings.map(({ token }, index) => {
    const state = found[index]
    return state instanceof ClaimLost ? { error: state } : { result: delayOf.get(token) }
  })
}
