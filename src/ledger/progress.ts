import type { Insertable, Transaction } from 'kysely'
import type { Held } from './claims.ts'
import type { Documents } from './documents.ts'
import type { Failure, ClaimToken, Note, Run } from './ledger.ts'
import { isSameState } from '../resources/same-state.ts'
import { saveLookups } from './lookups.ts'
import type { Seal } from './seal.ts'
import { createRowStatement } from './statement.ts'
import type { Tables } from './tables.ts'
import { noteTransition } from './transitions.ts'
import { type Place, placeOf } from './place.ts'

interface Deps {
  now: number
  documents: Documents
  seal: Pick<Seal, 'digest'>
  held: Pick<Held, 'lookupMark'>
}

/** Records what the holder of a claim found out, which must still be held. */
export async function recordNotes(trx: Transaction<Tables>, token: ClaimToken, notes: readonly Note[], deps: Deps) {
  for (const note of notes) {
    if (note.of === 'snapshot') await saveSnapshot(trx, token, note, deps)
    else if (note.of === 'success') await recordSuccess(trx, token, note.run)
    else if (note.of === 'no_poll') await stopPolling(trx, token)
    else await recordFailure(trx, token, note.run, deps)
  }
}

type SnapshotRow = Pick<
  Tables['resources'],
  'id' | 'snapshot' | 'snapshot_event_id' | 'snapshot_at' | 'terminal' | 'next_poll_at' | 'reconcile' | 'lookup_mark'
>
const updateSnapshot = createRowStatement((db, { id, ...row }: SnapshotRow) =>
  db
    .updateTable('resources')
    .set((eb) => ({ ...row, reads: eb('reads', '+', 1) }))
    .where('id', '=', id),
)

/** Stores the answer of a GET with the resource. */
async function saveSnapshot(
  trx: Transaction<Tables>,
  token: ClaimToken,
  { text, eventId, terminal, pollInMs, facts }: Note & { of: 'snapshot' },
  { now, documents, seal, held }: Deps,
): Promise<void> {
  const { resourceId } = token
  const found = { resourceId, identifiers: facts?.identifiers ?? [], mark: held.lookupMark }
  await updateSnapshot(trx, {
    id: token.resourceId,
    snapshot: documents.write(text, placeOf.snapshot(resourceId)),
    snapshot_event_id: eventId,
    snapshot_at: now,
    terminal: terminal ? 1 : 0,
    next_poll_at: pollInMs === undefined ? null : now + pollInMs,
    reconcile: null,
    lookup_mark: facts === undefined ? held.lookupMark : await saveLookups(trx, found, seal),
  })
  await noteTransition(trx, { resourceId, eventId, facts })
}

async function stopPolling(trx: Transaction<Tables>, token: ClaimToken): Promise<void> {
  await trx.updateTable('resources').set({ next_poll_at: null }).where('id', '=', token.resourceId).execute()
}

const upsertSuccess = createRowStatement(
  (db, { resourceId, handler, eventId }: { resourceId: string; handler: string; eventId: number }) => {
    // While the claim is held, the stored snapshot is the one that the run worked from.
    const read = db.selectFrom('resources').where('id', '=', resourceId)
    const [baseline, baseline_at] = [read.select('snapshot'), read.select('snapshot_at')]
    const row = {
      state: 'synced' as const,
      handled_event_id: eventId,
      tried_event_id: eventId,
      attempts: 0,
      due_at: null,
      error_code: null,
      error_message: null,
      parked_at: null,
      tried: null,
    }
    return db
      .insertInto('progress')
      .values({ resource_id: resourceId, handler, baseline, baseline_at, ...row })
      .onConflict((conflict) =>
        conflict.columns(['resource_id', 'handler']).doUpdateSet((eb) => ({
          ...row,
          baseline: eb.ref('excluded.baseline'),
          baseline_at: eb.ref('excluded.baseline_at'),
        })),
      )
  },
)

/** Records a success: the handler is synced up to the run's last event, and its baseline is the snapshot it worked from. */
async function recordSuccess(trx: Transaction<Tables>, token: ClaimToken, run: Run) {
  await upsertSuccess(trx, { resourceId: token.resourceId, handler: run.handler, eventId: run.lastEventId })
  const outcome = { result: 'succeeded' as const, error_code: null, error_message: null, next_at: null }
  await insertAttempt(trx, { ...attemptOf(token, run), ...outcome })
}

/** Records a failure: due again later, or parked; what was handled before stays handled. */
async function recordFailure(trx: Transaction<Tables>, token: ClaimToken, failure: Failure, { now, documents }: Deps) {
  const parked = failure.delayMs === undefined
  const row = {
    state: parked ? ('parked' as const) : ('due' as const),
    // A run for one event (mode `each`) holds up those behind it: whatever was there when it was claimed has been tried.
    tried_event_id: Math.max(failure.lastEventId, token.newestEventId),
    attempts: failure.attempts,
    due_at: failure.delayMs === undefined ? null : now + failure.delayMs,
    error_code: failure.error.code,
    error_message: failure.error.message,
    error_system: failure.error.system ?? '',
    parked_at: parked ? now : null,
    tried: await addTried(trx, token.resourceId, failure.handler, documents),
  }
  const { id } = await trx
    .insertInto('attempts')
    .values({
      ...attemptOf(token, failure),
      result: parked ? 'parked' : 'failed',
      error_code: row.error_code,
      error_message: row.error_message,
      next_at: row.due_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const failed = { ...row, failure_id: id }
  await trx
    .insertInto('progress')
    .values({ resource_id: token.resourceId, handler: failure.handler, handled_event_id: 0, baseline: null, ...failed })
    .onConflict((conflict) => conflict.columns(['resource_id', 'handler']).doUpdateSet(failed))
    .execute()
}

/** Of more, the oldest is forgotten. */
const maxTried = 4

/** The snapshots that a handler has failed with since its last success, with the present one. */
async function addTried(
  trx: Transaction<Tables>,
  resourceId: string,
  handler: string,
  documents: Documents,
): Promise<Uint8Array | null> {
  const row = await trx
    .selectFrom('resources')
    .leftJoin('progress', (join) =>
      join.onRef('progress.resource_id', '=', 'resources.id').on('progress.handler', '=', handler),
    )
    .select(['snapshot', 'baseline', 'tried'])
    .where('id', '=', resourceId)
    .executeTakeFirst()
  const read = (stored: Uint8Array | null | undefined, place: Place) => {
    const document = documents.read(stored ?? null, place)
    // What cannot be read any more fails whoever reads it, not whoever records.
    return document !== undefined && 'text' in document ? document.text : undefined
  }
  const triedPlace = placeOf.tried(resourceId, handler)
  const snapshot = read(row?.snapshot, placeOf.snapshot(resourceId))
  const baseline = read(row?.baseline, placeOf.snapshot(resourceId))
  const tried = read(row?.tried, triedPlace)
  // As written below.
  const before = tried === undefined ? [] : (JSON.parse(tried) as unknown[])
  const present: unknown = snapshot === undefined ? undefined : JSON.parse(snapshot)
  const isKnown = (known: unknown) => isSameState(present, known)
  const isNews = present !== undefined && !isKnown(before.at(-1)) && !isKnown(baseline && JSON.parse(baseline))
  // One that differs in nothing but signatures would drive out another that says something.
  const all = isNews ? [...before, present].slice(-maxTried) : before
  return all.length === 0 ? null : documents.write(JSON.stringify(all), triedPlace)
}

const insertAttempt = createRowStatement((db, row: Insertable<Tables['attempts']>) =>
  db.insertInto('attempts').values(row),
)

/** What the audit trail keeps of every run, however it ended. */
function attemptOf(token: ClaimToken, run: Run) {
  return {
    resource_id: token.resourceId,
    handler: run.handler,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    first_event_id: run.firstEventId,
    last_event_id: run.lastEventId,
    writes: JSON.stringify(run.writes),
  }
}
