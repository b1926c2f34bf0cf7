import type { Insertable, Transaction } from 'kysely'
import { isTerminal } from '../resources/kinds.ts'
import {
  isBeginning,
  isSubmitted,
  type OutcomeFacts,
  resultOf,
  showsSubmission,
  waitsFor,
} from '../resources/outcome-facts.ts'
import type { Documents } from './documents.ts'
import type { SnapshotFacts } from './ledger.ts'
import { placeOf } from './place.ts'
import { createRowStatement } from './statement.ts'
import type { Tables } from './tables.ts'

type Row = Insertable<Tables['outcomes']>
/** `groups` is new with every snapshot. */
type Before = Omit<Row, 'groups'>

const readStanding = createRowStatement((db, { resourceId, eventId }: { resourceId: string; eventId: number }) =>
  db
    .selectFrom('resources')
    .leftJoin('events', (join) => join.on('events.id', '=', eventId))
    .select(['resources.kind', 'first_event_at', 'terminal', 'snapshot_event_id', 'received_at'])
    .where('resources.id', '=', resourceId),
)
const readBefore = createRowStatement((db, { resourceId }: { resourceId: string }) =>
  db.selectFrom('outcomes').selectAll().where('resource_id', '=', resourceId),
)
const upsert = createRowStatement((db, { resource_id, kind, heard_at, ...row }: Row) =>
  db
    .insertInto('outcomes')
    .values({ resource_id, kind, heard_at, ...row })
    .onConflict((conflict) => conflict.column('resource_id').doUpdateSet(row)),
)

/** Notes how a resource goes and came out, for the report; call it before its snapshot is stored. What says the same as the snapshot before costs nothing. */
export async function noteOutcome(
  trx: Transaction<Tables>,
  { resourceId, eventId, facts }: { resourceId: string; eventId: number; facts: SnapshotFacts | undefined },
  { now, documents }: { now: number; documents: Documents },
): Promise<void> {
  if (facts?.outcome === undefined || facts.changes.length === 0) return
  const standing = (await readStanding(trx, { resourceId, eventId })).rows[0]
  if (standing === undefined || standing.kind === 'provider_outreach') return
  const before = (await readBefore(trx, { resourceId })).rows[0]
  // It ended before it was noted here, or was let go by retention (purge.ts): when, nobody knows, or it was counted.
  if (before === undefined && standing.terminal === 1) return
  // A snapshot that no event announced shows what changed at some time since the one before.
  const isNews = eventId > (standing.snapshot_event_id ?? 0)
  const row = advance(before, {
    resourceId,
    kind: standing.kind,
    heardAt: standing.first_event_at,
    at: isNews ? (standing.received_at ?? now) : now,
    facts: facts.outcome,
  })
  await upsert(trx, { ...row, groups: documents.write(JSON.stringify(facts.outcome.groups), placeOf.groups()) })
}

interface Step {
  resourceId: string
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
    resource_id: step.resourceId,
    kind,
    heard_at: heardAt,
    from_start: before?.from_start ?? (isBeginning(status) || at > heardAt ? 1 : 0),
    status,
    status_at: before === undefined || isMoved ? at : before.status_at,
    submitted_at: before?.submitted_at ?? (kind === 'prior_authorization' && isWithPayer ? at : null),
    ended_at: hasEnded ? (before?.ended_at ?? (endsNow ? at : null)) : null,
    result,
    reason: hasEnded ? (facts.reason ?? null) : null,
    is_appeal: facts.isAppeal ? 1 : 0,
    ...advanceTransfer(before, step),
    practice_ms: (before?.practice_ms ?? 0) + waited('practice'),
    provider_ms: (before?.provider_ms ?? 0) + waited('provider'),
  }
}

const transferEnds: ReadonlySet<string> = new Set(['completed', 'cancelled', 'error'])

/** Times are the service's where it tells them. */
function advanceTransfer(before: Before | undefined, { at, facts: { transfer } }: Step) {
  if (transfer === undefined) return { transfer_status: null, transfer_started_at: null, transfer_ended_at: null }
  const { status, startedAt, confirmedAt } = transfer
  const isKnown = before?.transfer_status === status
  const told = status === 'completed' ? confirmedAt : undefined
  const endedAt = isKnown ? before.transfer_ended_at : (told ?? at)
  return {
    transfer_status: status,
    transfer_started_at: startedAt ?? before?.transfer_started_at ?? at,
    transfer_ended_at: transferEnds.has(status) ? (endedAt ?? null) : null,
  }
}
