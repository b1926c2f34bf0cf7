import type { Insertable, Transaction } from 'kysely'
import type { SnapshotFacts } from './ledger.ts'
import { createRowStatement } from './statement.ts'
import type { Tables } from './tables.ts'

const insertTransition = createRowStatement((db, row: Insertable<Tables['transitions']>) =>
  db.insertInto('transitions').values(row),
)

/** Notes in which fields a snapshot differs from the one before, if it does: no second copy of what it says. */
export async function noteTransition(
  trx: Transaction<Tables>,
  { resourceId, eventId, facts }: { resourceId: string; eventId: number; facts: SnapshotFacts | undefined },
): Promise<void> {
  if (facts === undefined || facts.changes.length === 0) return
  await insertTransition(trx, {
    resource_id: resourceId,
    event_id: eventId,
    at: facts.readAt,
    changes: JSON.stringify(facts.changes),
  })
}
