import type { Insertable, Transaction } from 'kysely'
import { isBeginning, isSubmitted, showsSubmission, waitsFor } from 'pawl-client/schemas/outcome-course'
import type { RecordedCourse } from '../hot/journal-rows.ts'
import { createRowsByKey } from '../hot/rows-by-key.ts'
import { createWrite } from '../hot/statement.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { Step } from './projection.ts'
import type { Recorded, RecordedResource } from './recorded.ts'

type Row = Insertable<Tables['outcomes']>
/** `groups` changes with every snapshot. */
type Before = Omit<Row, 'groups'>

const readOutcomes = createRowsByKey('outcomes', 'resource')
const readEvents = createRowsByKey('events', 'id', ['id', 'received_at'])
const upsert = createWrite((db, rows: readonly Row[]) =>
  db
    .insertInto('outcomes')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('resource').doUpdateSet((eb) => {
        const { resource: _resource, kind: _kind, heard_at: _heardAt, ...changing } = rows[0] ?? {}
        // The keys of a row are its columns.
        const columns = Object.keys(changing) as (keyof Row)[]
        return Object.fromEntries(columns.map((column) => [column, eb.ref(`excluded.${column}`)]))
      }),
    ),
)

/** Follows how resources progress and end, for the report, snapshot by snapshot. */
export async function projectOutcomes({
  trx,
  rows,
  documents,
}: Pick<Step<Recorded>, 'trx' | 'rows' | 'documents'>): Promise<void> {
  const passed = rows.flatMap(({ resource, at, entry }) =>
    entry.changes.flatMap(({ course }) => (course === undefined ? [] : { resource, at, course })),
  )
  if (passed.length === 0) return
  const resources = [...new Set(passed.map(({ resource }) => resource))]
  const stored = await readOutcomes(
    trx,
    resources.map(({ number }) => number),
  )
  const current = new Map<number, Before>(stored.map((row) => [row.resource, row]))
  const receivedAt = await readReceivedAt(trx, passed)
  const changed = new Set<RecordedResource>()
  for (const { resource, at, course } of passed) {
    const before = current.get(resource.number)
    // It ended before its row existed, or retention dropped the row (purge.ts): the end is unknown, or already counted.
    if (before === undefined && course.wasTerminal === true) continue
    // A snapshot without an announcing event changed at an unknown time since the previous one.
    const changedAt = receivedAt.get(course.announcedBy ?? 0) ?? at
    current.set(resource.number, advance(before, { resource, at: changedAt, course }))
    changed.add(resource)
  }
  const upserted = [...changed].flatMap((resource): Row[] => {
    const row = current.get(resource.number)
    if (row === undefined) return []
    const identity = resource.readIdentity()
    const groups = typeof identity === 'string' ? {} : identity.groups
    const context = sealContext.groups(row.kind, row.heard_at)
    return [{ ...row, groups: documents.write(JSON.stringify(groups), context) }]
  })
  if (upserted.length > 0) await upsert(trx, upserted)
}

/** When the events that announced these snapshots were stored, by event. */
async function readReceivedAt(
  trx: Transaction<Tables>,
  passed: readonly { course: RecordedCourse }[],
): Promise<ReadonlyMap<number, number>> {
  const ids = passed.flatMap(({ course: { announcedBy } }) => announcedBy ?? [])
  return new Map((await readEvents(trx, ids)).map(({ id, received_at: at }) => [id, at]))
}

interface Passed {
  resource: Pick<RecordedResource, 'number' | 'kind' | 'firstEventAt'>
  at: number
  course: RecordedCourse
}

/** The row after one more snapshot. */
function advance(before: Before | undefined, passed: Passed): Before {
  const { resource, at, course } = passed
  const { number, kind, firstEventAt: heardAt } = resource
  const { status, result = null, reason } = course
  const hasEnded = result !== null
  const isMoved = before !== undefined && before.status !== status
  const endsNow = hasEnded && (before?.result ?? null) === null
  const isWithPayer = isSubmitted(status) || (endsNow && showsSubmission(result, reason))
  const waited = (whom: 'practice' | 'provider') =>
    isMoved && waitsFor(before.status) === whom ? Math.max(at - before.status_at, 0) : 0
  return {
    resource: number,
    kind,
    heard_at: before?.heard_at ?? heardAt,
    from_start: before?.from_start ?? (isBeginning(status) || at > heardAt ? 1 : 0),
    status,
    status_at: before === undefined || isMoved ? at : before.status_at,
    submitted_at: before?.submitted_at ?? (kind === 'prior_authorization' && isWithPayer ? at : null),
    ended_at: hasEnded ? (before?.ended_at ?? (endsNow ? at : null)) : null,
    result,
    reason: hasEnded ? (reason ?? null) : null,
    is_appeal: course.isAppeal ? 1 : 0,
    is_urgent: course.isUrgent ? 1 : 0,
    ...advanceTransfer(before, passed),
    practice_ms: (before?.practice_ms ?? 0) + waited('practice'),
    provider_ms: (before?.provider_ms ?? 0) + waited('provider'),
  }
}

/** Times are the service's if it gives them. */
function advanceTransfer(before: Before | undefined, { at, course: { transfer } }: Passed) {
  if (transfer === undefined) return { transfer_status: null, transfer_started_at: null, transfer_ended_at: null }
  const { status, hasEnded, startedAt, confirmedAt } = transfer
  const isKnown = before?.transfer_status === status
  const told = status === 'completed' ? confirmedAt : undefined
  const endedAt = isKnown ? before.transfer_ended_at : (told ?? at)
  return {
    transfer_status: status,
    transfer_started_at: startedAt ?? before?.transfer_started_at ?? at,
    transfer_ended_at: hasEnded ? (endedAt ?? null) : null,
  }
}
