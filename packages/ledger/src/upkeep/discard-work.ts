import type { Transaction } from 'kysely'
import { appendJournal, setJournalHeads } from '../hot/journal-rows.ts'
import { endWork } from '../hot/record-runs.ts'
import { editDocuments } from '../hot/states.ts'
import type { Tables } from '../tables.ts'

/** Result of discarding work; `in_work`: try again in a moment. */
export type Discarded = 'discarded' | 'in_work' | 'nothing'

/** Marks a parked or failing handler as synced, without a run. Later events make it due as usual, and its kept baseline then shows what it missed. */
export async function discardWork(
  trx: Transaction<Tables>,
  { resourceId, handler }: { resourceId: string; handler: string },
  now: number,
): Promise<Discarded> {
  const row = await trx
    .selectFrom('resources')
    .innerJoin('work', 'work.resource', 'resources.number')
    .select(['number', 'newest_event_id', 'claim_until', 'journal_id'])
    .where('id', '=', resourceId)
    .where('handler', '=', handler)
    .executeTakeFirst()
  if (row === undefined) return 'nothing'
  // The claim's holder would overwrite this with the result of its run.
  if (row.claim_until !== null && row.claim_until > now) return 'in_work'
  const newest = row.newest_event_id
  await endWork(trx, row.number, handler)
  let handledEventId = 0
  await editDocuments(trx, [row.number], ({ handlers }) => {
    const before = handlers.get(handler)
    handledEventId = before?.handledEventId ?? 0
    handlers.set(handler, { tried: [], ...before, handledEventId: newest })
  })
  const run = {
    handler,
    startedAt: now,
    finishedAt: now,
    result: 'discarded' as const,
    writes: [],
    firstEventId: Math.min(handledEventId + 1, newest),
    lastEventId: newest,
  }
  const entry = { runs: [run], changes: [] }
  const journalIds = await appendJournal(trx, [{ number: row.number, journalId: row.journal_id, entry }], now)
  await setJournalHeads(trx, journalIds)
  // The next claim computes when its other handlers are due.
  await trx
    .updateTable('resources')
    .set((eb) => ({ retries: eb('retries', '+', 1), due_at: now }))
    .where('id', '=', resourceId)
    .execute()
  return 'discarded'
}
