import type { Insertable, Transaction } from 'kysely'
import { createStatement } from './statement.ts'
import type { Tables } from '../tables.ts'
import type { SnapshotFacts } from './notes.ts'

const insertTransitions = createStatement((db, rows: readonly Insertable<Tables['transitions']>[]) =>
  db.insertInto('transitions').values(rows),
)

/** Records the fields in which snapshots differ from the previous ones: names, not a second copy of values. */
export async function noteTransitions(
  trx: Transaction<Tables>,
  snapshots: readonly { before: { number: number }; eventId: number; facts?: SnapshotFacts | undefined }[],
): Promise<void> {
  const rows = snapshots.flatMap(({ before, eventId, facts }) =>
    facts === undefined || facts.changes.length === 0
      ? []
      : { resource: before.number, event_id: eventId, at: facts.readAt, changes: JSON.stringify(facts.changes) },
  )
  if (rows.length > 0) await insertTransitions(trx, rows)
}
