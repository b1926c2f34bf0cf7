import { randomUUID } from 'node:crypto'
import { type Selectable, sql, type Transaction } from 'kysely'
import { PawlError } from '@pawl/base/errors'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Documents, Document } from '../sealing/documents.ts'
import { groupBy } from './group-by.ts'
import type { MemoryBySystem } from './state-document.ts'
import { readOwnChanges, type OwnChangeNote } from './own-changes.ts'
import { readStates, type StoredState } from './states.ts'
import { answerOf, createStatement, givenRows, type SentResult } from './statement.ts'
import type { EventSource, Tables, ProgressState } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'

/** An event without its body. */
export interface EventRecord {
  id: number
  type: string
  receivedAt: number
  source: EventSource
  repeats: number
  /** Span in which it was received; absent where tracing is off. */
  traceparent?: string
}

/** A row of `events` as a record; without `traceparent` where that was not read. */
export function toEventRecord({
  id,
  event_type: type,
  received_at: receivedAt,
  source,
  repeats,
  traceparent,
}: Omit<EventRecord, 'type' | 'receivedAt' | 'traceparent'> &
  Pick<Tables['events'], 'event_type' | 'received_at'> &
  Partial<Pick<Tables['events'], 'traceparent'>>): EventRecord {
  return { id, type, receivedAt, source, repeats, ...(traceparent != null && { traceparent }) }
}

/** A resource's state as the API last returned it. */
export interface Snapshot {
  /** The `data` object of the GET, verbatim. */
  document: Document
  /** The newest event when the GET began. */
  eventId: number
}

export interface Progress {
  state: ProgressState
  handledEventId: number
  triedEventId: number
  /** The snapshot of its last success. */
  baseline: Document | undefined
  /** The snapshots it has failed with since, newest last. */
  tried: readonly Document[]
  attempts: number
  /** Why its last run failed; absent after a success. */
  errorCode: string | undefined
  /** Milliseconds from the claim to its next run; absent where none is set. */
  dueInMs: number | undefined
}

/** Identifies and proves a claim. */
export interface ClaimToken {
  resourceId: string
  /** Unique per claim. */
  owner: string
  /** The resource's newest event at the time of the claim. */
  newestEventId: number
  /** Retries of the resource's parked work up to the claim. */
  retries: number
}

/** Picks the token out of a claim: calls that carry it may cross to another thread. */
export function tokenOf({ resourceId, owner, newestEventId, retries }: ClaimToken): ClaimToken {
  return { resourceId, owner, newestEventId, retries }
}

/** The right to work on one resource until the lease ends, with all its stored state. */
export interface Claim extends ClaimToken {
  kind: ResourceKind
  /** By the ledger's clock, not this process's: the ledger takes delays in milliseconds, never times. */
  claimedAt: number
  /** An earlier claim was never given back: its process died or stalled. The resource is worked on alone until it is given back. */
  suspect: boolean
  /** Consecutive claims never given back, with nothing else in work beside them. */
  claimsLost: number
  /** When its first event was stored. */
  firstEventAt: number
  snapshot: Snapshot | undefined
  terminal: boolean
  progress: ReadonlyMap<string, Progress>
  /** Connector memory of it, by system. */
  memory: MemoryBySystem
  /** Changes that pawl itself lately asked the service for. */
  ownChanges: readonly OwnChangeNote[]
  /** Events that at least one handler is not yet in sync with, oldest first. */
  events: readonly EventRecord[]
  /** The body of the event `newestEventId`, if it is among `events`. */
  newestBody: Document | undefined
}

/** How a resource is given back. */
export interface GiveBack {
  dueInMs: number | undefined
  restMs: number
  /** Nothing was tried: `suspect` and `claimsLost` stay. */
  untried?: boolean
}

/** The names of the handlers that follow each kind of resource. */
export type HandlerNames = Readonly<Partial<Record<ResourceKind, readonly string[]>>>

/** The lease ended and another worker may hold the claim: results of this run must not be recorded. */
export class ClaimLost extends PawlError {
  readonly code = 'claim_lost'
  override readonly retry = 'backoff'
}

interface At {
  now: number
}

/** A request to claim one resource; granted if it is due and free. */
export interface ClaimRequest {
  resourceId: string
  leaseMs: number
  handlerNames: HandlerNames
  alone: boolean
}

interface NewClaim {
  id: string
  owner: string
  until: number
  alone: number
}

const claimedColumns = [
  'number',
  'resources.id',
  'kind',
  'claim_owner',
  'suspect',
  'claims_lost',
  'first_event_at',
  'newest_event_id',
  'retries',
  'snapshot_event_id',
  'terminal',
  'own_changes',
] as const
type ClaimedRow = Pick<Selectable<Tables['resources']>, Exclude<(typeof claimedColumns)[number], 'resources.id'>> & {
  id: string
}

const updateClaimed = createStatement((db, claims: readonly (NewClaim & At)[]) =>
  db
    .updateTable('resources')
    .from(givenRows<NewClaim>(db, claims, { id: 'text', owner: 'text', until: 'integer', alone: 'integer' }))
    .set((eb) => ({
      claim_owner: eb.ref('given.owner'),
      claim_until: eb.ref('given.until'),
      claim_alone: eb.ref('given.alone'),
      // An owner still set means that the previous claim was never given back.
      suspect: eb.case().when('claim_owner', 'is not', null).then(1).else(eb.ref('suspect')).end(),
      // Among resources in work together the culprit is unknown: only a claim held alone counts.
      claims_lost: eb
        .case()
        .when(eb.and([eb('claim_owner', 'is not', null), eb('claim_alone', '=', 1)]))
        .then(eb('claims_lost', '+', 1))
        .else(eb.ref('claims_lost'))
        .end(),
    }))
    .whereRef('resources.id', '=', 'given.id')
    // All claims of one statement share one time.
    .where('due_at', '<=', claims[0]?.now ?? 0)
    .where((eb) => eb.or([eb('claim_until', 'is', null), eb('claim_until', '<=', claims[0]?.now ?? 0)]))
    .returning(claimedColumns),
)

const askWork = createStatement(
  (db, rows: readonly { number: number }[]) =>
    db
      .selectFrom('work')
      .select(['resource', 'handler', 'state', 'tried_event_id', 'attempts', 'error_code', 'due_at'])
      .where(
        'resource',
        'in',
        rows.map(({ number }) => number),
      ),
  { isSent: true },
)

/** Claims the requested resources that are due and free, by compare-and-set (rule 4), and loads everything the work needs; in the order of the requests. */
export async function claimAll(
  trx: Transaction<Tables>,
  requests: readonly ClaimRequest[],
  { processName, now, documents }: At & { processName: string; documents: Documents },
): Promise<(Claim | undefined)[]> {
  // Of two requests for one resource the first wins.
  const first = new Map(requests.toReversed().map((request) => [request.resourceId, request]))
  const wanted = [...first.values()].map(({ resourceId: id, leaseMs, alone }) => ({
    id,
    owner: `${processName}${randomUUID()}`,
    until: now + leaseMs,
    alone: alone ? 1 : 0,
    now,
  }))
  const { rows: claimed } = await updateClaimed(trx, wanted)
  if (claimed.length === 0) return requests.map(() => undefined)
  const askedWork = await askWork(trx, claimed)
  // Mostly all handlers are in sync up to the snapshot.
  const likely = claimed.map((row) => ({ row, after: row.snapshot_event_id ?? row.number - 1 }))
  const askedEvents = await askEvents(trx, likely)
  const states = await readStates(trx, claimed, documents)
  const workOf = groupBy(await answerOf(askedWork), (row) => row.resource)
  const taken = claimed.map((row) => {
    const state = states.get(row.number)
    const progress = progressOf(state, workOf.get(row.number) ?? [], now)
    const handled = (first.get(row.id)?.handlerNames[row.kind] ?? []).map(
      (handler) => progress.get(handler)?.handledEventId ?? 0,
    )
    return { row, state, progress, after: Math.max(Math.min(...handled), row.number - 1) }
  })
  const wasLikely = taken.every(({ after }, index) => after >= (likely[index]?.after ?? 0))
  const events = await answerOf(wasLikely ? askedEvents : await askEvents(trx, taken))
  const eventsOf = groupBy(events, (row) => row.resource)
  const claims = new Map(
    taken.map(({ row, state, progress, after }) => {
      const events = eventsOf.get(row.number)?.filter(({ id }) => id > after) ?? []
      return [row.id, toClaim(row, state, { progress, events, now, documents })]
    }),
  )
  return requests.map((request) =>
    first.get(request.resourceId) === request ? claims.get(request.resourceId) : undefined,
  )
}

type WorkRow = Pick<Tables['work'], 'handler' | 'state' | 'tried_event_id' | 'attempts' | 'error_code' | 'due_at'>

/** Progress of each handler that has run. The resource's document alone covers handlers without work. */
function progressOf(state: StoredState | undefined, work: readonly WorkRow[], now: number): Map<string, Progress> {
  const handlers = state?.document.handlers ?? new Map<string, never>()
  const open = new Map(work.map((row) => [row.handler, row]))
  return new Map(
    [...new Set([...handlers.keys(), ...open.keys()])].map((handler): [string, Progress] => {
      const { handledEventId = 0, baseline, tried = [] } = handlers.get(handler) ?? {}
      const row = open.get(handler)
      return [
        handler,
        {
          state: row?.state ?? 'synced',
          handledEventId,
          triedEventId: row?.tried_event_id ?? handledEventId,
          baseline: state?.kept(baseline),
          tried: tried.flatMap((version) => state?.kept(version) ?? []),
          attempts: row?.attempts ?? 0,
          errorCode: row?.error_code ?? undefined,
          dueInMs: row == null || row.due_at === null ? undefined : row.due_at - now,
        },
      ]
    }),
  )
}

function toClaim(
  row: ClaimedRow,
  state: StoredState | undefined,
  {
    progress,
    events,
    now,
    documents,
  }: At & { progress: Claim['progress']; events: readonly EventRow[]; documents: Documents },
): Claim {
  const resourceId = row.id
  const document = state?.kept(state.row.version)
  const newest = events.find(({ id }) => id === row.newest_event_id)
  return {
    resourceId,
    kind: row.kind,
    claimedAt: now,
    // Never null: the statement that returned the row set it.
    owner: row.claim_owner ?? '',
    suspect: row.suspect === 1,
    claimsLost: row.claims_lost,
    firstEventAt: row.first_event_at,
    newestEventId: row.newest_event_id,
    retries: row.retries,
    snapshot:
      document === undefined || row.snapshot_event_id === null
        ? undefined
        : { document, eventId: row.snapshot_event_id },
    terminal: row.terminal === 1,
    progress,
    memory: state?.document.memory ?? new Map(),
    ownChanges: readOwnChanges(row.own_changes, now),
    events: events.map(toEventRecord),
    newestBody: newest && documents.read(newest.body, sealContext.body(resourceId, newest.fingerprint)),
  }
}

interface EventRow {
  id: number
  resource: number
  event_type: string
  received_at: number
  source: EventSource
  repeats: number
  fingerprint: Uint8Array
  traceparent: string | null
  /** Set for the newest event only. */
  body: Uint8Array | null
}

interface EventRange {
  newest: number
  after: number
}

/** Walked back from the newest event by their keys, to the first that not all handlers are in sync with. Bounded overall, too: otherwise PostgreSQL plans for every partition. */
const selectEvents = createStatement(
  (db, ranges: readonly (EventRange & { least: number; most: number })[]) => {
    const within = sql`events.id > ${ranges[0]?.least} and events.id <= ${ranges[0]?.most}`
    return {
      compile: () =>
        sql<EventRow>`with recursive unhandled
        (id, resource, event_type, received_at, source, repeats, fingerprint, traceparent, body, previous, after) as (
      select events.id, resource, event_type, received_at, source, repeats, fingerprint, traceparent, body, previous, after
      from ${givenRows<EventRange>(db, ranges, { newest: 'integer', after: 'integer' })}
      join events on events.id = newest and ${within}
      union all
      select events.id, events.resource, events.event_type, events.received_at, events.source, events.repeats,
        events.fingerprint, events.traceparent, null, events.previous, after
      from unhandled join events on events.id = unhandled.previous and events.id > after and ${within})
    select id, resource, event_type, received_at, source, repeats, fingerprint, traceparent, body
    from unhandled order by id`.compile(db),
    }
  },
  { isSent: true },
)

/** Oldest first. */
async function askEvents(
  trx: Transaction<Tables>,
  taken: readonly { row: ClaimedRow; after: number }[],
): Promise<SentResult<EventRow>> {
  const ranges = taken.flatMap(({ row: { newest_event_id: newest }, after }) =>
    after >= newest ? [] : { newest, after },
  )
  if (ranges.length === 0) return { rows: [] }
  const least = Math.min(...ranges.map(({ after }) => after))
  const most = Math.max(...ranges.map(({ newest }) => newest))
  return selectEvents(
    trx,
    ranges.map((range) => ({ ...range, least, most })),
  )
}

/** Renews the lease of a claim that is still held. */
export async function renewClaim(
  trx: Transaction<Tables>,
  token: ClaimToken,
  leaseMs: number,
  { now }: At,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('resources')
    .set({ claim_until: now + leaseMs })
    .where('id', '=', token.resourceId)
    .where('claim_owner', '=', token.owner)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
