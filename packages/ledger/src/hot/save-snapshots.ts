import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ResourceState } from './claimed-states.ts'
import type { SnapshotNote } from './notes.ts'
import { personWaitRow, setPersonWait } from './person-wait.ts'
import { createWrite, givenRows } from './statement.ts'

/** A GET's answer, and the resource that it is about. */
export interface SnapshotEntry {
  held: Pick<ResourceState, 'number'>
  note: SnapshotNote
}

interface SnapshotRow {
  number: number
  eventId: number
  terminal: number
  nextPollAt: number | null
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
        waitsFor: 'text',
        personSince: 'integer',
        followsUp: 'text',
      }),
    )
    .set((eb) => ({
      snapshot_event_id: eb.ref('given.eventId'),
      terminal: eb.ref('given.terminal'),
      next_poll_at: eb.ref('given.nextPollAt'),
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

/** Sets the columns of `resources` that follow from GET answers, one answer per resource. */
export async function saveSnapshots(
  trx: Transaction<Tables>,
  entries: readonly SnapshotEntry[],
  now: number,
): Promise<void> {
  const rows = entries.map(({ held: { number }, note }) => {
    const { waits_for, person_since, follows_up } = personWaitRow(note.facts?.personWait, now)
    return {
      number,
      eventId: note.eventId,
      terminal: note.terminal ? 1 : 0,
      nextPollAt: note.pollInMs === undefined ? null : Math.ceil(now + note.pollInMs),
      waitsFor: waits_for,
      personSince: person_since,
      followsUp: follows_up,
    }
  })
  await updateSnapshots(trx, rows)
}
