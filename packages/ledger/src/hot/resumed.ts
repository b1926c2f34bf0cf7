import type { Transaction } from 'kysely'
import { isPaused, pauseOf } from './pause.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import type { ClaimToken } from './claim.ts'
import type { Note } from './notes.ts'

/** Work about to be recorded as waiting for a pause that is over. */
export interface Resumed {
  notes: ReadonlySet<Note>
  resourceIds: ReadonlySet<string>
}

/** Finds such work within the commit that records it; after that commit, a resume finds all work that waits for the pause. */
export async function findResumed(
  trx: Transaction<Tables>,
  recordings: readonly { token: ClaimToken; notes: readonly Note[] }[],
  keepPauses: Storage['keepPauses'],
): Promise<Resumed> {
  const waiting = recordings.flatMap(({ token: { resourceId }, notes }) =>
    notes.flatMap((note) => {
      const target = note.of === 'failure' ? pauseOf(note.run) : undefined
      return target === undefined ? [] : { resourceId, note, target }
    }),
  )
  if (waiting.length > 0) await keepPauses(trx)
  const notes = new Set<Note>()
  const resourceIds = new Set<string>()
  for (const { resourceId, note, target } of waiting) {
    if (await isPaused(trx, target)) continue
    notes.add(note)
    resourceIds.add(resourceId)
  }
  return { notes, resourceIds }
}
