import type { Transaction } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import type { ResourceState } from './claimed-states.ts'
import { saveLookups } from './lookups.ts'
import { noteOutcomes } from './note-outcomes.ts'
import type { SnapshotNote } from './notes.ts'
import { personWaitRow, setPersonWait } from './person-wait.ts'
import { createWrite, givenRows } from './statement.ts'

/** A GET's answer, and the resource's state before it. */
export interface FactsEntry {
  held: ResourceState
  note: SnapshotNote
}

interface SnapshotRow {
  number: number
  eventId: number
  terminal: number
  nextPollAt: number | null
  mark: string | null
  waitsFor: string | null
  personSince: number | null
  followsUp: string | null
}
const updateSnapshots = createWrite((db, rows: readonly SnapshotRow[]) =>
  db
    .updateTable('resources')
    .from(
      givenRows<SnapshotRow>(db, rows, {
        number: 'integer',
        eventId: 'integer',
        terminal: 'integer',
        nextPollAt: 'integer',
        mark: 'text',
        waitsFor: 'text',
        personSince: 'integer',
        followsUp: 'text',
      }),
    )
    .set((eb) => ({
      snapshot_event_id: eb.ref('given.eventId'),
      terminal: eb.ref('given.terminal'),
      next_poll_at: eb.ref('given.nextPollAt'),
      lookup_mark: eb.ref('given.mark'),
      reconcile: null,
      reads: eb('reads', '+', 1),
      ...setPersonWait({
        waits_for: eb.ref('given.waitsFor'),
        person_since: eb.ref('given.personSince'),
        follows_up: eb.ref('given.followsUp'),
      }),
    }))
    .whereRef('resources.number', '=', 'given.number'),
)

/** Stores facts derived from GET answers, one answer per resource; call it before storing their snapshots. */
export async function saveFacts(
  trx: Transaction<Tables>,
  entries: readonly FactsEntry[],
  { now, documents, seal }: { now: number; documents: Documents; seal: Pick<Seal, 'digest'> },
): Promise<void> {
  const snapshots = entries.map(({ held: before, note: { eventId, facts } }) => ({ eventId, facts, before }))
  await noteOutcomes(trx, snapshots, { now, documents })
  const findable = snapshots.flatMap(({ facts, before: { number: resource, lookupMark: mark } }) =>
    facts === undefined ? [] : { resource, identifiers: facts.identifiers, mark },
  )
  const newMarks = await saveLookups(trx, findable, seal)
  const markOf = new Map(findable.map(({ resource }, index) => [resource, newMarks[index] ?? null]))
  const rows = entries.map(({ held: { number, lookupMark }, note }) => {
    const { waits_for, person_since, follows_up } = personWaitRow(note.facts?.personWait, now)
    const mark = markOf.get(number)
    return {
      number,
      eventId: note.eventId,
      terminal: note.terminal ? 1 : 0,
      nextPollAt: note.pollInMs === undefined ? null : Math.ceil(now + note.pollInMs),
      mark: mark === undefined ? lookupMark : mark,
      waitsFor: waits_for,
      personSince: person_since,
      followsUp: follows_up,
    }
  })
  await updateSnapshots(trx, rows)
}
