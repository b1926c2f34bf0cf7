import type { Transaction } from 'kysely'
import { holdOf, isLetThrough, isHoldActive } from './holds.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import type { ClaimToken } from './claims.ts'
import type { Note } from './notes.ts'

/** Work about to be recorded as waiting for a hold that was lifted meanwhile, or that lets the resource through. */
export interface Freed {
  notes: ReadonlySet<Note>
  resourceIds: ReadonlySet<string>
}

/** Finds it within the commit that records it: after that commit, lifting the hold finds all work that waits for it. */
export async function findFreed(
  trx: Transaction<Tables>,
  recordings: readonly { token: ClaimToken; notes: readonly Note[] }[],
  keepHolds: Storage['keepHolds'],
): Promise<Freed> {
  const waiting = recordings.flatMap(({ token: { resourceId }, notes }) =>
    notes.flatMap((note) => {
      const hold = note.of === 'failure' ? holdOf(note.run) : undefined
      return hold === undefined ? [] : { resourceId, note, hold }
    }),
  )
  if (waiting.length > 0) await keepHolds(trx)
  const notes = new Set<Note>()
  const resourceIds = new Set<string>()
  for (const { resourceId, note, hold } of waiting) {
    if ((await isHoldActive(trx, hold)) && !(await isLetThrough(trx, resourceId))) continue
    notes.add(note)
    resourceIds.add(resourceId)
  }
  return { notes, resourceIds }
}
