import { type Kysely, sql, type Transaction } from 'kysely'
import type { Document, Documents } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { createStatement } from './statement.ts'
import type { Tables } from '../tables.ts'

type Row = Pick<Tables['snapshots'], 'resource_id' | 'body' | 'read_at'>

const insertRows = createStatement((db, rows: readonly Row[]) =>
  db.insertInto('snapshots').values(rows).returning(['id', 'resource_id']),
)

/** Stores new states of resources; resolves with the number of each resource's. */
export async function insertSnapshots(
  trx: Transaction<Tables>,
  given: readonly { resourceId: string; text: string }[],
  { now, documents }: { now: number; documents: Documents },
): Promise<ReadonlyMap<string, number>> {
  if (given.length === 0) return new Map()
  const { rows } = await insertRows(
    trx,
    given.map(({ resourceId, text }) => ({
      resource_id: resourceId,
      body: documents.write(text, sealContext.snapshot(resourceId)),
      read_at: now,
    })),
  )
  return new Map(rows.map(({ id, resource_id: resourceId }) => [resourceId, id]))
}

/** Notes that stored states were read again, unchanged: their retention begins anew. */
export async function touchSnapshots(trx: Transaction<Tables>, ids: readonly number[], now: number): Promise<void> {
  if (ids.length > 0) await trx.updateTable('snapshots').set({ read_at: now }).where('id', 'in', ids).execute()
}

const selectRows = createStatement((db, rows: readonly { id: string }[]) =>
  db
    .selectFrom('snapshots')
    .select(['id', 'resource_id', 'body'])
    .where(
      'resource_id',
      'in',
      rows.map(({ id }) => id),
    ),
)

/** The states kept of these resources, by number. Only a resource's own are found under it, whatever number is asked for. */
export interface KeptSnapshots {
  of(resourceId: string, snapshotId: number | null): Document | undefined
  /** Those that a handler has failed with; `stored` is `progress.tried`. */
  tried(resourceId: string, stored: string | null): readonly Document[]
}

/** Reads the states kept of these resources: each once, however many handlers share it. */
export async function readSnapshots(
  db: Kysely<Tables>,
  resources: readonly { id: string }[],
  documents: Documents,
): Promise<KeptSnapshots> {
  const { rows } = resources.length === 0 ? { rows: [] } : await selectRows(db, resources)
  const key = (resourceId: string, snapshotId: number) => `${snapshotId} ${resourceId}`
  const kept = new Map(
    rows.map(({ id, resource_id: resourceId, body }) => [
      key(resourceId, id),
      documents.read(body, sealContext.snapshot(resourceId)),
    ]),
  )
  const of: KeptSnapshots['of'] = (resourceId, snapshotId) =>
    snapshotId === null ? undefined : kept.get(key(resourceId, snapshotId))
  return {
    of,
    tried: (resourceId, stored) => readTriedIds(stored).flatMap((id) => of(resourceId, id) ?? []),
  }
}

/** Numbers of the states that a handler has failed with, oldest first; `stored` is `progress.tried`. */
export function readTriedIds(stored: string | null): number[] {
  // Written by `writeTriedIds`.
  return stored === null ? [] : (JSON.parse(stored) as string[]).map(Number)
}

/** In quotes, so that SQL finds a number whole. */
export function writeTriedIds(ids: readonly number[]): string | null {
  return ids.length === 0 ? null : JSON.stringify(ids.map(String))
}

const deleteUnused = createStatement((db, rows: readonly { resourceId: string }[]) =>
  db
    .deleteFrom('snapshots')
    .where(
      'resource_id',
      'in',
      rows.map(({ resourceId }) => resourceId),
    )
    .where(
      sql<boolean>`not exists (select 1 from resources where resources.id = snapshots.resource_id
          and resources.snapshot_id = snapshots.id)
        and not exists (select 1 from progress where progress.resource_id = snapshots.resource_id
          and (progress.baseline_id = snapshots.id or progress.tried like '%"' || snapshots.id || '"%'))`,
    ),
)

/** Deletes the states that neither their resource nor a handler refers to any more. */
export async function dropUnusedSnapshots(
  trx: Transaction<Tables>,
  resources: readonly { resourceId: string }[],
): Promise<void> {
  if (resources.length > 0) await deleteUnused(trx, resources)
}
