import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ResourceState } from './claimed-states.ts'
import type { ClaimToken } from './claim.ts'
import type { JournalRun } from './journal-rows.ts'
import { saveLeftOut } from './left-out.ts'
import type { Failure, Note } from './notes.ts'
import { absenceErrors, isWaitingError, pausedErrors } from './waiting-errors.ts'

type Success = Extract<Note, { of: 'success' }>
type Failed = Extract<Note, { of: 'failure' }>

/** Codes of work that waits and has not failed: a failure whose cause is not known yet is one. */
const waits = [...Object.values(pausedErrors), ...Object.values(absenceErrors)]

/** A run to record. */
export interface RecordedRun<Of extends Success | Failed = Success | Failed> {
  token: Pick<ClaimToken, 'newestEventId'>
  held: ResourceState
  note: Of
  /** It waited for a pause that is over. */
  isResumed?: boolean
}

/** Records the work left by runs, in order: later runs of a handler build on its earlier ones. `journalIds`: the rows that hold them, by resource. */
export async function recordRuns(
  trx: Transaction<Tables>,
  runs: readonly RecordedRun[],
  { now, journalIds }: { now: number; journalIds: ReadonlyMap<number, number> },
): Promise<void> {
  const successes: RecordedRun<Success>[] = []
  const open = new Set(runs.filter(({ held }) => held.hasWork).map(({ held }) => held.number))
  const flush = () => recordSuccesses(trx, successes.splice(0), { open, now })
  for (const { note, ...run } of runs) {
    if (note.of === 'success') successes.push({ ...run, note })
    else {
      await flush()
      await recordFailure(trx, { ...run, note }, { now, journalId: journalIds.get(run.held.number) ?? 0 })
      open.add(run.held.number)
    }
  }
  await flush()
}

/** `open`: the resources with rows of work. */
async function recordSuccesses(
  trx: Transaction<Tables>,
  runs: readonly RecordedRun<Success>[],
  { open, now }: { open: ReadonlySet<number>; now: number },
): Promise<void> {
  if (runs.length === 0) return
  for (const { held, note } of runs) if (open.has(held.number)) await endWork(trx, held.number, note.run.handler)
  await saveLeftOut(
    trx,
    runs.map(({ held: { number }, note: { run } }) => ({ number, run })),
    now,
  )
}

/** Ends a handler's work: it is in sync. */
export async function endWork(trx: Transaction<Tables>, number: number, handler: string): Promise<void> {
  await trx.deleteFrom('work').where('resource', '=', number).where('handler', '=', handler).execute()
}

/** Records a failure: due again later, or parked. Work that waited for a pause that is over is due at once, as if it had never failed. */
async function recordFailure(
  trx: Transaction<Tables>,
  { token, held, note, isResumed = false }: RecordedRun<Failed>,
  { now, journalId }: { now: number; journalId: number },
): Promise<void> {
  const failure: Failure = note.run
  const parked = failure.delayMs === undefined
  const dueAt = nextAttemptAt(failure, { isResumed, now }) ?? null
  const error = { error_code: failure.error.code, error_message: failure.error.message }
  const isWaiting = !parked && !isResumed && isWaitingError(failure.error.code)
  const row = {
    state: parked ? ('parked' as const) : ('due' as const),
    // A run for one event (mode `each`) blocks later events: everything present at the claim counts as tried.
    tried_event_id: Math.max(failure.lastEventId, token.newestEventId),
    attempts: failure.attempts,
    due_at: dueAt,
    ...(isResumed
      ? { error_code: null, error_message: null, error_status: null }
      : { ...error, error_status: failure.error.httpStatus ?? null }),
    error_system: isResumed ? '' : (failure.error.system ?? ''),
    parked_at: parked ? now : null,
    waits_since: isWaiting ? ((await readStoredAt(trx, failure.firstEventId)) ?? now) : null,
    failure_id: journalId,
    failed_at: failure.finishedAt,
    first_event_id: failure.firstEventId,
  }
  await trx
    .insertInto('work')
    .values({ resource: held.number, handler: failure.handler, failing_since: failure.startedAt, ...row })
    .onConflict((conflict) =>
      conflict.columns(['resource', 'handler']).doUpdateSet({
        ...row,
        // Work that only waited has not failed before.
        failing_since: sql<number>`case when work.error_code is null or work.error_code in (${sql.join(waits)})
          then excluded.failing_since else work.failing_since end`,
        // Parked again without a person's retry: parked since the first time.
        ...(failure.parkedAgainMs !== undefined && {
          parked_at: sql<number | null>`coalesce(work.parked_at, excluded.parked_at)`,
        }),
      }),
    )
    .execute()
}

async function readStoredAt(trx: Transaction<Tables>, eventId: number): Promise<number | undefined> {
  const row = await trx.selectFrom('events').select('received_at').where('id', '=', eventId).executeTakeFirst()
  return row?.received_at
}

/** The journal's record of a run, successful or not. */
export function journalRunOf(
  { note, isResumed = false }: Pick<RecordedRun, 'note' | 'isResumed'>,
  now: number,
): JournalRun {
  const { handler, startedAt, finishedAt, firstEventId, lastEventId, writes } = note.run
  const run = { handler, startedAt, finishedAt, firstEventId, lastEventId, writes }
  if (note.of === 'success') return { ...run, result: 'succeeded' }
  const { error, delayMs } = note.run
  return {
    ...run,
    result: delayMs === undefined ? 'parked' : 'failed',
    error: { code: error.code, message: error.message, system: error.system },
    nextAt: nextAttemptAt(note.run, { isResumed, now }),
  }
}

/** Time of a failed run's next attempt, if any; at once for work whose pause is over. */
function nextAttemptAt(
  { delayMs, parkedAgainMs }: Failure,
  { isResumed, now }: { isResumed: boolean; now: number },
): number | undefined {
  const nextMs = isResumed ? 0 : (delayMs ?? parkedAgainMs)
  return nextMs === undefined ? undefined : Math.ceil(now + nextMs)
}
