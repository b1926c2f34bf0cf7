import { sql, type Transaction } from 'kysely'
import { anyWork } from './claims.ts'
import { ClaimLost, type ClaimToken, type GiveBack } from './claim.ts'
import { type Asked, asked, askedOf, createStatement, createWrite, givenRows } from './statement.ts'
import type { Tables } from '../tables.ts'
import { readStateDocument, type StateDocument } from './state-document.ts'
import type { NamedResource } from './states.ts'

/** State of a resource, as needed to check and release its claim. */
export interface ResourceState extends NamedResource {
  owner: string | undefined
  newestEventId: number
  retries: number
  terminal: boolean
  snapshotEventId: number | undefined
  /** Its newest row of the journal. */
  journalId: number | null
  document: StateDocument
  /** Version of the stored snapshot; 0 before the first one. */
  version: number
  /** Whether that snapshot is still stored. */
  hasSnapshot: boolean
  /** Whether one of its handlers is not in sync. */
  hasWork: boolean
}

const selectResourceStates = createStatement(
  (db, rows: readonly { resourceId: string }[]) =>
    db
      .selectFrom('resources')
      .leftJoin('states', 'states.resource', 'resources.number')
      .select([
        'number',
        'id',
        'claim_owner',
        'newest_event_id',
        'retries',
        'terminal',
        'snapshot_event_id',
        'journal_id',
        'document',
        'version',
        'read_at',
      ])
      .select(anyWork)
      .where(
        'id',
        'in',
        rows.map(({ resourceId }) => resourceId),
      ),
  { isSent: true },
)

/** Asks for the states of these resources, by id. */
export async function askResourceStates(
  trx: Transaction<Tables>,
  wanted: readonly { resourceId: string }[],
): Promise<Asked<ReadonlyMap<string, ResourceState>>> {
  return askedOf(
    await selectResourceStates(trx, wanted),
    (rows) =>
      new Map(
        rows.map((row) => [
          row.id,
          {
            number: row.number,
            id: row.id,
            owner: row.claim_owner ?? undefined,
            newestEventId: row.newest_event_id,
            retries: row.retries,
            terminal: row.terminal === 1,
            snapshotEventId: row.snapshot_event_id ?? undefined,
            journalId: row.journal_id,
            document: readStateDocument(row.document),
            version: row.version ?? 0,
            hasSnapshot: row.read_at !== null,
            hasWork: row.work !== null,
          },
        ]),
      ),
  )
}

/** A state, or that its claim is no longer held. */
export type ClaimedState = ResourceState | ClaimLost

/** Asks for the states of these resources, in the order of the claims. */
export async function askClaimedStates(
  trx: Transaction<Tables>,
  tokens: readonly ClaimToken[],
): Promise<Asked<readonly ClaimedState[]>> {
  const { answer } = await askResourceStates(trx, tokens)
  return asked(
    answer.then((states) =>
      tokens.map(({ resourceId, owner }) => {
        const held = states.get(resourceId)
        if (held?.owner === owner) return held
        return new ClaimLost(`The lease on ${resourceId} ended before its work did; another worker takes it over.`)
      }),
    ),
  )
}

/** Throws `ClaimLost` unless the claim is held. */
export async function assertHeld(trx: Transaction<Tables>, token: ClaimToken): Promise<void> {
  const { answer } = await askClaimedStates(trx, [token])
  for (const state of await answer) if (state instanceof ClaimLost) throw state
}

interface ReleasedRow {
  number: number
  journalId: number | null
  dueAt: number | null
  restUntil: number
  /** 1 leaves claims_lost and suspect as they are, 0 resets both. */
  keep: number
}

const updateReleased = createWrite((db, rows: readonly ReleasedRow[]) =>
  db
    .updateTable('resources')
    .from(
      givenRows<ReleasedRow>(db, rows, {
        number: 'integer',
        journalId: 'integer',
        dueAt: 'integer',
        restUntil: 'integer',
        keep: 'integer',
      }),
    )
    .set((eb) => ({
      claim_owner: null,
      claim_until: null,
      journal_id: sql<number | null>`coalesce(given."journalId", resources.journal_id)`,
      due_at: eb.ref('given.dueAt'),
      rest_until: eb.ref('given.restUntil'),
      suspect: eb('suspect', '*', eb.ref('given.keep')),
      claims_lost: eb('claims_lost', '*', eb.ref('given.keep')),
    }))
    .whereRef('resources.number', '=', 'given.number'),
)

/** Gives resources back, with their newest rows of the journal, and lets them rest; one with events since the claim is due after its rest. Resolves with the milliseconds until each is due. */
export async function releaseAll(
  trx: Transaction<Tables>,
  entries: readonly { token: ClaimToken; release: GiveBack; held: ResourceState }[],
  { now, journalIds }: { now: number; journalIds: ReadonlyMap<number, number> },
): Promise<(number | undefined)[]> {
  const delays = entries.map(({ token, release: { dueInMs, restMs }, held }) => {
    const isRetried = held.retries > token.retries
    return held.newestEventId > token.newestEventId ? restMs : isRetried ? 0 : dueInMs
  })
  const rows = entries.map(({ held: { number }, release: { restMs, untried = false } }, index) => {
    const delay = delays[index]
    return {
      number,
      journalId: journalIds.get(number) ?? null,
      dueAt: delay === undefined ? null : Math.ceil(now + delay),
      restUntil: Math.ceil(now + restMs),
      keep: untried ? 1 : 0,
    }
  })
  if (rows.length > 0) await updateReleased(trx, rows)
  return delays
}
