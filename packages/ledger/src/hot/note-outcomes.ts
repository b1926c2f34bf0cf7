import type { Insertable, Transaction } from 'kysely'
import { isTerminal } from 'pawl-client/schemas/kinds'
import {
  isBeginning,
  isSubmitted,
  type OutcomeFacts,
  resultOf,
  showsSubmission,
  waitsFor,
} from 'pawl-client/schemas/outcome-facts'
import { isTransferEnded } from 'pawl-client/schemas/prior-authorization'
import type { ResourceState } from './claimed-states.ts'
import type { Documents } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { createStatement, createWrite, givenRows } from './statement.ts'
import type { Tables } from '../tables.ts'
import type { SnapshotFacts } from './notes.ts'

type Row = Insertable<Tables['outcomes']>
/** `groups` changes with every snapshot. */
type Before = Omit<Row, 'groups'>

interface Wanted {
  number: number
  /** The event that announced the snapshot. */
  announcedBy: number | null
}
const selectBefore = createStatement((db, rows: readonly Wanted[]) =>
  db
    .selectFrom(givenRows<Wanted>(db, rows, { number: 'integer', announcedBy: 'integer' }))
    .leftJoin('outcomes', 'resource', 'given.number')
    .select('given.number')
    .select((eb) =>
      // Not a join: PostgreSQL reads one partition for each.
      eb.selectFrom('events').select('received_at').whereRef('events.id', '=', 'given.announcedBy').as('received_at'),
    )
    .select([
      'kind',
      'heard_at',
      'from_start',
      'status',
      'status_at',
      'submitted_at',
      'ended_at',
      'result',
      'reason',
      'is_appeal',
      'is_urgent',
      'transfer_status',
      'transfer_started_at',
      'transfer_ended_at',
      'practice_ms',
      'provider_ms',
    ]),
)
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

/** A snapshot about to be stored, and the resource's state before it. */
export interface NewSnapshot {
  eventId: number
  facts: SnapshotFacts | undefined
  before: Pick<ResourceState, 'number' | 'kind' | 'firstEventAt' | 'terminal' | 'snapshotEventId'>
}

/** Records how resources progress and end, for the report; call it before their snapshots are stored. An unchanged snapshot costs nothing. */
export async function noteOutcomes(
  trx: Transaction<Tables>,
  snapshots: readonly NewSnapshot[],
  { now, documents }: { now: number; documents: Documents },
): Promise<void> {
  const telling = snapshots.flatMap(({ facts, before: { kind, ...before }, ...snapshot }) =>
    facts?.outcome === undefined || facts.changes.length === 0 || kind === 'provider_outreach'
      ? []
      : { ...snapshot, ...before, kind, outcome: facts.outcome },
  )
  if (telling.length === 0) return
  const sought = telling.map(({ number, eventId, snapshotEventId = 0 }) => ({
    number,
    announcedBy: eventId > snapshotEventId ? eventId : null,
  }))
  const known = new Map((await selectBefore(trx, sought)).rows.map((row) => [row.number, row]))
  const rows = telling.flatMap(({ number, kind, firstEventAt, terminal, outcome }) => {
    const { number: _number, received_at: receivedAt = null, ...found } = known.get(number) ?? { kind: null }
    // A joined row has all of its columns or none.
    const before = found.kind === null ? undefined : ({ resource: number, ...found } as Before)
    // It ended before its row existed, or retention dropped the row (purge.ts): the end is unknown, or already counted.
    if (before === undefined && terminal) return []
    // A snapshot without an announcing event changed at an unknown time since the previous one.
    const at = receivedAt ?? now
    const row = advance(before, { number, kind, heardAt: firstEventAt, at, facts: outcome })
    return {
      ...row,
      groups: documents.write(JSON.stringify(outcome.groups), sealContext.groups(row.kind, row.heard_at)),
    }
  })
  if (rows.length > 0) await upsert(trx, rows)
}

interface Step {
  number: number
  kind: Row['kind']
  heardAt: number
  at: number
  facts: OutcomeFacts
}

/** The row after one more snapshot. */
function advance(before: Before | undefined, step: Step): Before {
  const { kind, at, heardAt, facts } = step
  const { status } = facts
  const hasEnded = isTerminal(kind, status)
  const result = hasEnded ? resultOf(kind, facts) : null
  const isMoved = before !== undefined && before.status !== status
  const endsNow = hasEnded && (before === undefined || !isTerminal(kind, before.status))
  const isWithPayer = isSubmitted(status) || (endsNow && result !== null && showsSubmission(result, facts.reason))
  const waited = (whom: 'practice' | 'provider') =>
    isMoved && waitsFor(before.status) === whom ? Math.max(at - before.status_at, 0) : 0
  return {
    resource: step.number,
    kind,
    heard_at: before?.heard_at ?? heardAt,
    from_start: before?.from_start ?? (isBeginning(status) || at > heardAt ? 1 : 0),
    status,
    status_at: before === undefined || isMoved ? at : before.status_at,
    submitted_at: before?.submitted_at ?? (kind === 'prior_authorization' && isWithPayer ? at : null),
    ended_at: hasEnded ? (before?.ended_at ?? (endsNow ? at : null)) : null,
    result,
    reason: hasEnded ? (facts.reason ?? null) : null,
    is_appeal: facts.isAppeal ? 1 : 0,
    is_urgent: facts.isUrgent ? 1 : 0,
    ...advanceTransfer(before, step),
    practice_ms: (before?.practice_ms ?? 0) + waited('practice'),
    provider_ms: (before?.provider_ms ?? 0) + waited('provider'),
  }
}

/** Times are the service's if it gives them. */
function advanceTransfer(before: Before | undefined, { at, facts: { transfer } }: Step) {
  if (transfer === undefined) return { transfer_status: null, transfer_started_at: null, transfer_ended_at: null }
  const { status, startedAt, confirmedAt } = transfer
  const isKnown = before?.transfer_status === status
  const told = status === 'completed' ? confirmedAt : undefined
  const endedAt = isKnown ? before.transfer_ended_at : (told ?? at)
  return {
    transfer_status: status,
    transfer_started_at: startedAt ?? before?.transfer_started_at ?? at,
    transfer_ended_at: isTransferEnded(status) ? (endedAt ?? null) : null,
  }
}
