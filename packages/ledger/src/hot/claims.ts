import { randomUUID } from 'node:crypto'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import type { Claim, ClaimRequest, ClaimToken, Progress } from './claim.ts'
import { groupBy } from './group-by.ts'
import { readOwnChanges } from './own-changes.ts'
import { createRowsByKey } from './rows-by-key.ts'
import { openStates, type SealedState, type StoredState } from './states.ts'
import { type Asked, asked, askedOf, createStatement, givenRows } from './statement.ts'
import type { Tables } from '../tables.ts'
import { toEventRecord } from './event-record.ts'
import { readUnhandled, type UnhandledEvent } from './unhandled-events.ts'
import { sealContext } from '../sealing/seal-context.ts'

interface At {
  now: number
}

interface NewClaim {
  id: string
  owner: string
  until: number
  alone: number
}

const updateClaimed = createStatement(
  (db, claims: readonly (NewClaim & At)[]) =>
    db
      .updateTable('resources')
      .from(givenRows<NewClaim>(db, claims, { id: 'text', owner: 'text', until: 'integer', alone: 'integer' }))
      .set((eb) => ({
        claim_owner: eb.ref('given.owner'),
        claim_until: eb.ref('given.until'),
        claim_alone: eb.ref('given.alone'),
        // A leftover owner here: that claim was never given back.
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
      .returning(['resources.id', 'claim_owner', 'suspect', 'claims_lost', 'retries', 'own_changes']),
  { isSent: true },
)

/** A resource with one of its rows of work, if it has any: one of its handlers is not in sync. */
export const anyWork = sql<number | null>`(select resource from work where work.resource = number limit 1)`.as('work')

const selectClaimable = createStatement(
  (db, rows: readonly { id: string }[]) =>
    db
      .selectFrom('resources')
      .leftJoin('states', 'states.resource', 'resources.number')
      .select(['number', 'id', 'kind', 'due_at', 'claim_until', 'first_event_at', 'newest_event_id'])
      .select(['snapshot_event_id', 'terminal', 'states.resource', 'document', 'version', 'snapshot'])
      .select(anyWork)
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      ),
  { isSent: true },
)

const readWork = createRowsByKey('work', 'resource', [
  'resource',
  'handler',
  'state',
  'tried_event_id',
  'attempts',
  'error_code',
  'due_at',
])

/** What is stored of a resource to be claimed; `work` is null where all its handlers are in sync. */
export type ClaimableRow = Pick<
  Selectable<Tables['resources']>,
  | 'number'
  | 'id'
  | 'kind'
  | 'due_at'
  | 'claim_until'
  | 'first_event_at'
  | 'newest_event_id'
  | 'snapshot_event_id'
  | 'terminal'
> & { [Key in keyof Omit<SealedState, 'id'>]: SealedState[Key] | null } & { work: number | null }

/** What only a claim decides, or others may write meanwhile. */
type ClaimedRow = Pick<
  Selectable<Tables['resources']>,
  'claim_owner' | 'suspect' | 'claims_lost' | 'retries' | 'own_changes'
>

/** Asks for what is stored of the requested resources. */
export async function askClaimable(
  trx: Transaction<Tables>,
  requests: readonly ClaimRequest[],
): Promise<Asked<readonly ClaimableRow[]>> {
  const ids = new Set(requests.map(({ resourceId }) => resourceId))
  return askedOf(
    await selectClaimable(
      trx,
      [...ids].map((id) => ({ id })),
    ),
    (rows) => rows,
  )
}

/** Claims the requested resources that are due and free, by compare-and-set (rule 4), and loads everything the work needs; by request. */
export async function claimAll(
  trx: Transaction<Tables>,
  requests: readonly ClaimRequest[],
  {
    found,
    processName,
    now,
    documents,
  }: At & {
    found: readonly ClaimableRow[]
    processName: string
    documents: Documents
  },
): Promise<Asked<ReadonlyMap<ClaimRequest, Claim>>> {
  // Of two requests for one resource the first wins.
  const first = new Map(requests.toReversed().map((request) => [request.resourceId, request]))
  const free = found.flatMap((row) => {
    const request = first.get(row.id)
    const isFree = row.due_at !== null && row.due_at <= now && (row.claim_until === null || row.claim_until <= now)
    return isFree && request !== undefined ? { row, request } : []
  })
  if (free.length === 0) return asked(Promise.resolve(new Map()))
  const states = await openStates(
    trx,
    // Without a state, all of its columns are null.
    free.flatMap(({ row }) => (row.resource === null ? [] : (row as SealedState))),
    documents,
  )
  const behind = free.flatMap(({ row: { number, work } }) => (work === null ? [] : number))
  const workOf = groupBy(await readWork(trx, behind), (row) => row.resource)
  const stored = free.map(({ row, request }) => {
    const state = states.get(row.number)
    const progress = progressOf(state, workOf.get(row.number) ?? [], now)
    const handled = (request.handlerNames[row.kind] ?? []).map((name) => progress.get(name)?.handledEventId ?? 0)
    return { row, request, state, progress, after: Math.max(Math.min(...handled), row.number - 1) }
  })
  const events = groupBy(await readUnhandled(trx, stored), (row) => row.resource)
  const claimed = await updateClaimed(
    trx,
    stored.map(({ request: { resourceId: id, leaseMs, alone } }) => ({
      id,
      owner: `${processName}${randomUUID()}`,
      until: now + leaseMs,
      alone: alone ? 1 : 0,
      now,
    })),
  )
  return askedOf(claimed, (rows) => {
    const granted = new Map(rows.map((row) => [row.id, row]))
    return new Map(
      stored.flatMap(({ row, request, ...of }) => {
        const claim = granted.get(row.id)
        const held = { ...of, events: events.get(row.number) ?? [], now, documents }
        return claim === undefined ? [] : [[request, toClaim({ ...row, ...claim }, held)]]
      }),
    )
  })
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
  row: ClaimableRow & ClaimedRow,
  {
    state,
    progress,
    events,
    now,
    documents,
  }: At & {
    state: StoredState | undefined
    progress: Claim['progress']
    events: readonly UnhandledEvent[]
    documents: Documents
  },
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
