import type { Kysely } from 'kysely'
import { walkJournal } from '../hot/journal-rows.ts'
import type { Tables, ProgressState } from '../tables.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { inParts, readEventIds } from '../hot/event-chain.ts'
import { readProgress } from './read-progress.ts'

/** Cost and state of one resource. */
export interface ResourceRecord {
  id: string
  kind: ResourceKind
  events: number
  repeats: number
  reads: number
  writes: number
  terminal: boolean
  dueAt: number | undefined
  progress: { handler: string; state: ProgressState; handledEventId: number }[]
}

export async function readResource(db: Kysely<Tables>, id: string): Promise<ResourceRecord | undefined> {
  const row = await db
    .selectFrom('resources')
    .leftJoin('states', 'resource', 'number')
    .selectAll('resources')
    .select('document')
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const eventIds = await readEventIds(db, id)
  let repeats = 0
  for (const ids of inParts(eventIds)) {
    const rows = await db.selectFrom('events').select('repeats').where('id', 'in', ids).execute()
    for (const event of rows) repeats += event.repeats
  }
  let writes = 0
  for await (const { entry } of walkJournal(db, row.journal_id))
    for (const run of entry.runs) writes += run.writes.length
  return {
    id,
    kind: row.kind,
    events: eventIds.length,
    repeats,
    reads: row.reads,
    writes,
    terminal: row.terminal === 1,
    dueAt: row.due_at ?? undefined,
    progress: (await readProgress(db, row)).map(({ handler, state, handledEventId }) => ({
      handler,
      state,
      handledEventId,
    })),
  }
}
