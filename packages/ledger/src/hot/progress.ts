import { type Insertable, sql, type Transaction } from 'kysely'
import type { ClaimToken } from './claims.ts'
import type { ResourceState } from './claimed-states.ts'
import type { Documents } from '../sealing/documents.ts'
import { isSameState } from 'pawl-client/schemas/same-state'
import { setPersonWait, personWaitRow } from './person-wait.ts'
import { saveLookups } from './lookups.ts'
import { saveLeftOut } from './left-out.ts'
import { saveMemories } from './memory.ts'
import { noteOutcomes } from './note-outcomes.ts'
import type { Seal } from '../sealing/seal.ts'
import {
  dropUnusedSnapshots,
  insertSnapshots,
  type NamedResource,
  readSnapshots,
  readTriedIds,
  touchSnapshots,
  writeTriedIds,
} from './snapshots.ts'
import { createStatement, givenRows } from './statement.ts'
import type { Tables } from '../tables.ts'
import { noteTransitions } from './transitions.ts'
import type { Failure, Note, Run } from './notes.ts'
import { isWaitingError } from './waiting-errors.ts'

interface Deps {
  now: number
  documents: Documents
  seal: Pick<Seal, 'digest'>
  /** Whether a note reports work waiting for a pause that is over by now. */
  isResumed: (note: Note) => boolean
}

/** One note about a resource whose claim is held. */
interface Entry<Of extends Note['of']> {
  token: ClaimToken
  held: ResourceState
  note: Extract<Note, { of: Of }>
}

interface AnyEntry {
  token: ClaimToken
  held: ResourceState
  note: Note
}

/** Records notes of claims that must still be held. Notes of one kind share statements, however many resources and handlers they are of. */
export async function recordNotes(
  trx: Transaction<Tables>,
  recordings: readonly { token: ClaimToken; held: ResourceState; notes: readonly Note[] }[],
  deps: Deps,
): Promise<void> {
  const entries = recordings.flatMap(({ token, held, notes }) => {
    let stage = 0
    return notes.map((note) => {
      if (note.of === 'snapshot') stage += 1
      return { token, held, note, stage: Math.max(stage, 1) }
    })
  })
  const ofMemory = ofKind(entries, 'memory').map(({ token, held, note }) => ({ token, number: held.number, ...note }))
  await saveMemories(trx, ofMemory, deps.now)
  // Runs start from the snapshot noted before them.
  for (const ofStage of inRounds(entries, ({ stage }) => stage - 1)) {
    await saveSnapshots(
      trx,
      ofKind(ofStage, 'snapshot').map(({ token: { resourceId }, ...entry }) => ({ ...entry, resourceId })),
      deps,
    )
    const seen = new Map<string, number>()
    // Later runs of a handler build on its earlier ones.
    const runs = inRounds(runsOf(ofStage), ({ token, note }) => {
      const key = `${token.resourceId}\n${note.run.handler}`
      seen.set(key, (seen.get(key) ?? -1) + 1)
      return seen.get(key) ?? 0
    })
    for (const round of runs) {
      await recordSuccesses(trx, ofKind(round, 'success'), deps.now)
      for (const { note, ...entry } of ofKind(round, 'failure'))
        await recordFailure(trx, entry, note.run, { ...deps, isResumed: deps.isResumed(note) })
    }
  }
  for (const { held } of ofKind(entries, 'no_poll')) await stopPolling(trx, held)
  // The first snapshot of a resource replaces none.
  const replacing = recordings.filter(({ held, notes }) => held.snapshotId !== undefined && notes.some(isOfState))
  await dropUnusedSnapshots(
    trx,
    replacing.map(({ held }) => held),
  )
}

const runsOf = (entries: readonly AnyEntry[]) =>
  entries.flatMap(({ note, ...entry }) => (note.of === 'success' || note.of === 'failure' ? { ...entry, note } : []))

/** Entries by the number of their round. */
function inRounds<Each>(entries: readonly Each[], roundOf: (entry: Each) => number): Each[][] {
  const rounds: Each[][] = []
  for (const entry of entries) {
    const round = roundOf(entry)
    while (rounds.length <= round) rounds.push([])
    rounds[round]?.push(entry)
  }
  return rounds
}

const isOfState = ({ of }: Note) => of === 'snapshot' || of === 'success' || of === 'failure'

function ofKind<Of extends Note['of']>(entries: readonly AnyEntry[], of: Of): Entry<Of>[] {
  return entries.flatMap(({ note, ...entry }) =>
    // The kind was just checked; the compiler does not narrow through `Of`.
    note.of === of ? { ...entry, note: note as Entry<Of>['note'] } : [],
  )
}

interface SnapshotEntry extends Omit<Entry<'snapshot'>, 'token'> {
  resourceId: string
}

interface SnapshotRow {
  number: number
  snapshotId: number
  eventId: number
  terminal: number
  nextPollAt: number | null
  mark: string | null
  waitsFor: string | null
  personSince: number | null
  followsUp: string | null
}
const updateSnapshots = createStatement((db, rows: readonly SnapshotRow[]) =>
  db
    .updateTable('resources')
    .from(
      givenRows<SnapshotRow>(db, rows, {
        number: 'integer',
        snapshotId: 'integer',
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
      snapshot_id: eb.ref('given.snapshotId'),
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

/** Stores GET answers of resources, with everything derived from them. */
export async function saveSnapshots(
  trx: Transaction<Tables>,
  given: readonly SnapshotEntry[],
  { now, documents, seal }: Pick<Deps, 'now' | 'documents' | 'seal'>,
): Promise<void> {
  // Of a snapshot that retention deleted meanwhile, nothing is left that could be current.
  const entries = given.filter(({ note, held }) => note.text !== undefined || held.snapshotId !== undefined)
  if (entries.length === 0) return
  const snapshots = entries.map(({ held: before, note: { eventId, facts } }) => ({
    eventId,
    facts,
    before,
  }))
  // Before the snapshots are stored: the previous state tells what is new.
  await noteOutcomes(trx, snapshots, { now, documents })
  await noteTransitions(trx, snapshots)
  const findable = snapshots.flatMap(({ facts, before: { number: resource, lookupMark: mark } }) =>
    facts === undefined ? [] : { resource, identifiers: facts.identifiers, mark },
  )
  const newMarks = await saveLookups(trx, findable, seal)
  const markOf = new Map(findable.map(({ resource }, index) => [resource, newMarks[index] ?? null]))
  const ids = await insertSnapshots(
    trx,
    entries.flatMap(({ resourceId: id, held: { number }, note: { text } }) =>
      text === undefined ? [] : { number, id, text },
    ),
    { now, documents },
  )
  await touchSnapshots(
    trx,
    entries.flatMap(({ held, note }) => (note.text === undefined ? (held.snapshotId ?? []) : [])),
    now,
  )
  const rows = entries.map(({ held, note }) => {
    const { number } = held
    const { waits_for, person_since, follows_up } = personWaitRow(note.facts?.personWait, now)
    const mark = markOf.get(number)
    return {
      number,
      // One or the other, as filtered above.
      snapshotId: (ids.get(number) ?? held.snapshotId) as number,
      eventId: note.eventId,
      terminal: note.terminal ? 1 : 0,
      nextPollAt: note.pollInMs === undefined ? null : Math.ceil(now + note.pollInMs),
      mark: mark === undefined ? held.lookupMark : mark,
      waitsFor: waits_for,
      personSince: person_since,
      followsUp: follows_up,
    }
  })
  await updateSnapshots(trx, rows)
}

async function stopPolling(trx: Transaction<Tables>, { number }: ResourceState): Promise<void> {
  await trx.updateTable('resources').set({ next_poll_at: null }).where('number', '=', number).execute()
}

/** Columns of a synced handler. */
export const synced = {
  state: 'synced' as const,
  attempts: 0,
  due_at: null,
  error_code: null,
  error_message: null,
  error_status: null,
  parked_at: null,
  waits_since: null,
}

interface SuccessRow {
  resource: number
  handlerName: string
  eventId: number
}
const upsertSuccesses = createStatement((db, rows: readonly SuccessRow[]) => {
  const done = { ...synced, tried: null }
  const given = givenRows<SuccessRow>(db, rows, { resource: 'integer', handlerName: 'text', eventId: 'integer' })
  return (
    db
      .insertInto('progress')
      .columns(['resource', 'handler', 'handled_event_id', 'tried_event_id', 'baseline_id', 'state', 'attempts'])
      // While the claim is held, the stored snapshot is the one that the run worked from.
      .expression((eb) =>
        eb
          .selectFrom(given)
          .innerJoin('resources', 'resources.number', 'given.resource')
          .select(['given.resource', 'given.handlerName', 'given.eventId', 'given.eventId as tried', 'snapshot_id'])
          .select([sql.lit(done.state).as('state'), sql.lit(0).as('attempts')])
          // Without a condition SQLite takes the conflict's "on" for one of the join.
          .where(sql<boolean>`1 = 1`),
      )
      .onConflict((conflict) =>
        conflict.columns(['resource', 'handler']).doUpdateSet((eb) => ({
          ...done,
          handled_event_id: eb.ref('excluded.handled_event_id'),
          tried_event_id: eb.ref('excluded.tried_event_id'),
          baseline_id: eb.ref('excluded.baseline_id'),
        })),
      )
  )
})

/** Records successes: each handler is synced up to its run's last event, with the run's snapshot as its baseline. */
async function recordSuccesses(
  trx: Transaction<Tables>,
  entries: readonly Entry<'success'>[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ held, note: { run } }) => ({
    resource: held.number,
    handlerName: run.handler,
    eventId: run.lastEventId,
  }))
  await upsertSuccesses(trx, rows)
  const outcome = { result: 'succeeded' as const, error_code: null, error_message: null, next_at: null }
  await insertAttempts(
    trx,
    entries.map(({ held, note }) => ({ ...attemptOf(held, note.run), ...outcome })),
  )
  await saveLeftOut(
    trx,
    entries.map(({ held: { number }, note: { run } }) => ({ number, run })),
    now,
  )
}

/** Records a failure: due again later, or parked; earlier handled events stay handled. Work that waited for a pause that is over is due at once, as if it had never failed. */
async function recordFailure(
  trx: Transaction<Tables>,
  { token, held }: Pick<AnyEntry, 'token' | 'held'>,
  failure: Failure,
  { now, documents, isResumed }: Pick<Deps, 'now' | 'documents'> & { isResumed: boolean },
) {
  const parked = failure.delayMs === undefined
  const nextMs = isResumed ? 0 : (failure.delayMs ?? failure.parkedAgainMs)
  const dueAt = nextMs === undefined ? null : Math.ceil(now + nextMs)
  const error = { error_code: failure.error.code, error_message: failure.error.message }
  const waits = !parked && !isResumed && isWaitingError(failure.error.code)
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
    waits_since: waits ? ((await readStoredAt(trx, failure.firstEventId)) ?? now) : null,
    tried: await addTried(trx, { number: held.number, id: token.resourceId }, failure.handler, documents),
  }
  const { id } = await trx
    .insertInto('attempts')
    .values({ ...attemptOf(held, failure), result: parked ? 'parked' : 'failed', ...error, next_at: dueAt })
    .returning('id')
    .executeTakeFirstOrThrow()
  const failed = { ...row, failure_id: id }
  await trx
    .insertInto('progress')
    .values({
      resource: held.number,
      handler: failure.handler,
      handled_event_id: 0,
      baseline_id: null,
      ...failed,
    })
    .onConflict((conflict) =>
      conflict.columns(['resource', 'handler']).doUpdateSet((eb) => ({
        ...failed,
        // Parked again without a person's retry: parked since the first time.
        ...(failure.parkedAgainMs !== undefined && {
          parked_at: eb.fn.coalesce('progress.parked_at', eb.val(failed.parked_at)),
        }),
      })),
    )
    .execute()
}

async function readStoredAt(trx: Transaction<Tables>, eventId: number): Promise<number | undefined> {
  const row = await trx.selectFrom('events').select('received_at').where('id', '=', eventId).executeTakeFirst()
  return row?.received_at
}

/** Beyond this, the oldest is dropped. */
const maxTried = 4

/** The snapshots that a handler has failed with since its last success, including the current one. */
async function addTried(
  trx: Transaction<Tables>,
  resource: NamedResource,
  handler: string,
  documents: Documents,
): Promise<string | null> {
  const row = await trx
    .selectFrom('resources')
    .leftJoin('progress', (join) =>
      join.onRef('progress.resource', '=', 'resources.number').on('progress.handler', '=', handler),
    )
    .select(['snapshot_id', 'baseline_id', 'tried'])
    .where('number', '=', resource.number)
    .executeTakeFirst()
  const before = readTriedIds(row?.tried ?? null)
  const present = row?.snapshot_id ?? null
  const known = [before.at(-1) ?? null, row?.baseline_id ?? null]
  if (present === null || known.includes(present)) return row?.tried ?? null
  const kept = await readSnapshots(trx, [resource], documents)
  const read = (snapshotId: number | null): unknown => {
    const document = kept.of(resource.number, snapshotId)
    // An unreadable value must fail its reader, not this write.
    return document !== undefined && 'text' in document ? JSON.parse(document.text) : undefined
  }
  const state = read(present)
  // A snapshot that differs only in signatures would push out one with real differences.
  const isNews = state !== undefined && known.every((each) => !isSameState(state, read(each)))
  return writeTriedIds(isNews ? [...before, present].slice(-maxTried) : before)
}

const insertAttempts = createStatement((db, rows: readonly Insertable<Tables['attempts']>[]) =>
  db.insertInto('attempts').values(rows),
)

/** Audit entry of every run, successful or not. */
function attemptOf({ number }: ResourceState, run: Run) {
  return {
    resource: number,
    handler: run.handler,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    first_event_id: run.firstEventId,
    last_event_id: run.lastEventId,
    writes: JSON.stringify(run.writes),
  }
}
