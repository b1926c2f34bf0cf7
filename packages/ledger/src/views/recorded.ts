import type { Kysely, Transaction } from 'kysely'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Documents, Document } from '../sealing/documents.ts'
import type { ProgressState, Tables } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { type EventRecord, toEventRecord } from '../hot/claims.ts'
import type { Remembered } from '@pawl/base/system-notes'
import { readSnapshots } from '../hot/snapshots.ts'
import type { Run } from '../hot/notes.ts'
import { numberOf } from '../resource-number.ts'

/** A handler's progress on a resource, and the results it left. */
export interface RecordedHandler {
  handler: string
  state: ProgressState
  handledEventId: number
  /** The snapshot of its last success. */
  baseline: Document | undefined
  /** The snapshots it has failed with since. */
  tried: readonly Document[]
  /** Why its last run failed; absent after a success. */
  errorCode: string | undefined
  /** Writes of all its runs, as far as retention keeps them. */
  writes: readonly Run['writes'][number][]
  /** Results recorded by `once`, by key. */
  effects: ReadonlyMap<string, Document | undefined>
}

/** A system's memory under one role. */
export interface RecordedMemory {
  system: string
  role: string
  remembered: Remembered
}

/** A resource with everything that the ledger recorded of it. */
export interface RecordedResource {
  id: string
  kind: ResourceKind
  snapshot: Document | undefined
  snapshotAt: number | undefined
  /** A worker holds a claim on it. */
  isClaimed: boolean
  /** The events still stored, oldest first. */
  events: readonly EventRecord[]
  handlers: readonly RecordedHandler[]
  memory: readonly RecordedMemory[]
}

/** Resources per step: few enough that their snapshots fit into memory, however large. */
const stepSize = 50

/** The next few resources after `cursor` with the records of these handlers, as of one moment; the last step is empty. */
export async function readRecorded(
  db: Kysely<Tables>,
  { cursor, handlers, documents }: { cursor: string; handlers: readonly string[]; documents: Documents },
): Promise<RecordedResource[]> {
  // One read view of every table: it blocks no writer, and sees no half-done work.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((trx) => readStep(trx, cursor, handlers, documents))
}

/** The number of resources. */
export async function countResources(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('resources')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

async function readStep(
  trx: Transaction<Tables>,
  cursor: string,
  handlers: readonly string[],
  documents: Documents,
): Promise<RecordedResource[]> {
  const resources = await trx
    .selectFrom('resources')
    .leftJoin('snapshots', 'snapshots.id', 'resources.snapshot_id')
    .select(['number', 'resources.id', 'kind', 'snapshot_id', 'read_at', 'claim_owner'])
    .where('number', '>', cursor === '' ? 0 : numberOf(cursor))
    .orderBy('number')
    .limit(stepSize)
    .execute()
  const numbers = resources.map(({ number }) => number)
  if (numbers.length === 0) return []
  const kept = await readSnapshots(trx, resources, documents)
  const progress = await of(trx.selectFrom('progress').selectAll().where('resource', 'in', numbers)).execute()
  const attempts = await of(
    trx.selectFrom('attempts').select(['resource', 'handler', 'writes']).where('resource', 'in', numbers),
  ).execute()
  const effects = await of(
    trx.selectFrom('effects').select(['resource', 'handler', 'key', 'value']).where('resource', 'in', numbers),
  ).execute()
  // Another resource may have written a shared memory last.
  const memory = await trx
    .selectFrom('memory')
    .leftJoin('shared_memory as shared', (join) =>
      join.onRef('shared.system', '=', 'memory.system').onRef('shared.role', '=', 'memory.role'),
    )
    .select(['memory.system', 'resource', 'memory.role'])
    .select((eb) => eb.fn.coalesce('shared.foreign_id', 'memory.foreign_id').as('foreign_id'))
    .select((eb) => [
      eb
        .case()
        .when('shared.foreign_id', 'is', null)
        .then(eb.ref('memory.version'))
        .else(eb.ref('shared.version'))
        .end()
        .as('version'),
      eb
        .case()
        .when('shared.foreign_id', 'is', null)
        .then(eb.ref('memory.digest'))
        .else(eb.ref('shared.digest'))
        .end()
        .as('digest'),
    ])
    .where('resource', 'in', numbers)
    .execute()
  const events = await trx
    .selectFrom('events')
    .select(['id', 'resource', 'event_type', 'received_at', 'source', 'repeats'])
    .where('resource', 'in', numbers)
    .orderBy('id')
    .execute()
  return resources.map((resource) => {
    const isOfIt = (row: { resource: number }) => row.resource === resource.number
    return {
      id: resource.id,
      kind: resource.kind,
      snapshot: kept.of(resource.number, resource.snapshot_id),
      snapshotAt: resource.read_at ?? undefined,
      isClaimed: resource.claim_owner !== null,
      events: events.filter(isOfIt).map(toEventRecord),
      handlers: progress.filter(isOfIt).map((row) => {
        const isOfHandler = (each: { resource: number; handler: string }) =>
          isOfIt(each) && each.handler === row.handler
        return {
          handler: row.handler,
          state: row.state,
          handledEventId: row.handled_event_id,
          baseline: kept.of(resource.number, row.baseline_id),
          tried: kept.tried(resource.number, row.tried),
          errorCode: row.error_code ?? undefined,
          // JSON written by the ledger.
          writes: attempts.filter(isOfHandler).flatMap(({ writes }) => JSON.parse(writes) as Run['writes']),
          effects: new Map(
            effects
              .filter(isOfHandler)
              .map(({ key, value }) => [key, documents.read(value, sealContext.effect(resource.id, row.handler, key))]),
          ),
        }
      }),
      memory: memory.filter(isOfIt).map(({ system, role, foreign_id: id, version, digest }) => ({
        system,
        role,
        remembered: { id, version: version ?? undefined, digest: digest ?? undefined },
      })),
    }
  })

  /** Limited to the given handlers. */
  function of<Query extends { where(column: 'handler', op: 'in', names: readonly string[]): Query }>(query: Query) {
    return handlers.length === 0 ? query : query.where('handler', 'in', handlers)
  }
}
