import type { Transaction } from 'kysely'
import { assertHeld } from './claims.ts'
import type { Documents } from './documents.ts'
import type { Claim, Failure, Parked, Run, Snapshot, Success } from './ledger.ts'
import type { Tables } from './tables.ts'

/** Stores the answer of a GET with the resource. */
export async function saveSnapshot(
  trx: Transaction<Tables>,
  claim: Claim,
  snapshot: Snapshot,
  facts: { terminal: boolean; pollInMs: number | undefined; now: number; documents: Documents },
): Promise<void> {
  await assertHeld(trx, claim)
  await trx
    .updateTable('resources')
    .set((eb) => ({
      snapshot: facts.documents.write(snapshot.data),
      snapshot_event_id: snapshot.eventId,
      snapshot_at: facts.now,
      terminal: facts.terminal ? 1 : 0,
      next_poll_at: facts.pollInMs === undefined ? null : facts.now + facts.pollInMs,
      reads: eb('reads', '+', 1),
    }))
    .where('id', '=', claim.resourceId)
    .execute()
}

/** Records a success: the handler is in step up to the run's last event, and its baseline is the snapshot it worked from. */
export async function recordSuccess(trx: Transaction<Tables>, claim: Claim, success: Success, documents: Documents) {
  await assertHeld(trx, claim)
  await upsertProgress(trx, claim, success.handler, {
    state: 'in_step',
    handled_event_id: success.lastEventId,
    tried_event_id: success.lastEventId,
    baseline: documents.write(success.baseline),
    attempts: 0,
    due_at: null,
    error_code: null,
    error_message: null,
  })
  await recordAttempt(trx, claim, success, { result: 'succeeded', error_code: null })
  if (success.writes.length === 0) return
  // One row a foreign resource, though a run may have written it more than once: the last version stands.
  const written = new Map(success.writes.map((write) => [`${write.system} ${write.type} ${write.id}`, write]))
  await trx
    .insertInto('links')
    .values(
      [...written.values()].map((write) => ({
        resource_id: claim.resourceId,
        system: write.system,
        foreign_type: write.type,
        foreign_id: write.id,
        version: write.version ?? null,
        written_at: success.finishedAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['resource_id', 'system', 'foreign_type', 'foreign_id']).doUpdateSet((eb) => ({
        version: eb.ref('excluded.version'),
        written_at: eb.ref('excluded.written_at'),
      })),
    )
    .execute()
}

/** Records a failure: due again later, or parked; what was handled before stays handled. */
export async function recordFailure(trx: Transaction<Tables>, claim: Claim, failure: Failure, now: number) {
  await assertHeld(trx, claim)
  const parked = failure.delayMs === undefined
  await upsertProgress(trx, claim, failure.handler, {
    state: parked ? 'parked' : 'due',
    tried_event_id: failure.lastEventId,
    attempts: failure.attempts,
    due_at: failure.delayMs === undefined ? null : now + failure.delayMs,
    error_code: failure.error.code,
    error_message: failure.error.message,
  })
  await recordAttempt(trx, claim, failure, { result: parked ? 'parked' : 'failed', error_code: failure.error.code })
}

type ProgressRow = Omit<Tables['progress'], 'resource_id' | 'handler'>
type FirstOnly = 'handled_event_id' | 'baseline'

async function upsertProgress(
  trx: Transaction<Tables>,
  claim: Claim,
  handler: string,
  row: Omit<ProgressRow, FirstOnly> & Partial<Pick<ProgressRow, FirstOnly>>,
) {
  await trx
    .insertInto('progress')
    .values({ resource_id: claim.resourceId, handler, handled_event_id: 0, baseline: null, ...row })
    .onConflict((conflict) => conflict.columns(['resource_id', 'handler']).doUpdateSet(row))
    .execute()
}

async function recordAttempt(
  trx: Transaction<Tables>,
  claim: Claim,
  run: Run,
  outcome: Pick<Tables['attempts'], 'result' | 'error_code'>,
) {
  await trx
    .insertInto('attempts')
    .values({
      resource_id: claim.resourceId,
      handler: run.handler,
      started_at: run.startedAt,
      finished_at: run.finishedAt,
      first_event_id: run.firstEventId,
      last_event_id: run.lastEventId,
      writes: JSON.stringify(run.writes),
      ...outcome,
    })
    .execute()
}

/** Lists parked work, the oldest resource first. */
export async function readParked(trx: Transaction<Tables>, limit: number): Promise<Parked[]> {
  const rows = await trx
    .selectFrom('progress')
    .innerJoin('resources', 'resources.id', 'progress.resource_id')
    .select(['resource_id', 'kind', 'handler', 'attempts', 'error_code', 'error_message'])
    .where('state', '=', 'parked')
    .orderBy('tried_event_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    resourceId: row.resource_id,
    kind: row.kind,
    handler: row.handler,
    attempts: row.attempts,
    errorCode: row.error_code ?? 'unexpected',
    errorMessage: row.error_message ?? '',
  }))
}

/** Makes parked work due at once, with all its attempts before it. */
export async function releaseParked(
  trx: Transaction<Tables>,
  filter: { resourceId?: string | undefined; handler?: string | undefined },
  now: number,
): Promise<string[]> {
  let parked = trx.updateTable('progress').set({ state: 'due', attempts: 0, due_at: now }).where('state', '=', 'parked')
  if (filter.resourceId !== undefined) parked = parked.where('resource_id', '=', filter.resourceId)
  if (filter.handler !== undefined) parked = parked.where('handler', '=', filter.handler)
  const rows = await parked.returning('resource_id').execute()
  const resourceIds = [...new Set(rows.map((row) => row.resource_id))]
  for (const id of resourceIds) {
    await trx.updateTable('resources').set({ due_at: now }).where('id', '=', id).execute()
  }
  return resourceIds
}
