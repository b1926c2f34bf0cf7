import { type Kysely, sql, type Transaction } from 'kysely'
import type { Document, Documents } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { createStatement } from './statement.ts'
import type { Tables } from '../tables.ts'

type Row = Pick<Tables['snapshots'], 'resource' | 'body' | 'read_at'>

const insertRows = createStatement((db, rows: readonly Row[]) =>
  db.insertInto('snapshots').values(rows).returning(['id', 'resource']),
)

/** A resource by both of its names. */
export interface NamedResource {
  number: number
  id: string
}

/** Stores new states of resources; resolves with the number of each resource's, by the resource's own. */
export async function insertSnapshots(
  trx: Transaction<Tables>,
  given: readonly (NamedResource & { text: string })[],
  { now, documents }: { now: number; documents: Documents },
): Promise<ReadonlyMap<number, number>> {
  if (given.length === 0) return new Map()
  const { rows } = await insertRows(
    trx,
    given.map(({ number, id, text }) => ({
      resource: number,
      body: documents.write(text, sealContext.snapshot(id)),
      read_at: now,
    })),
  )
  return new Map(rows.map(({ id, resource }) => [resource, id]))
}

/** Notes that stored states were read again, unchanged: their retention begins anew. */
export async function touchSnapshots(trx: Transaction<Tables>, ids: readonly number[], now: number): Promise<void> {
  if (ids.length > 0) await trx.updateTable('snapshots').set({ read_at: now }).where('id', 'in', ids).execute()
}

const selectRows = createStatement((db, rows: readonly { number: number }[]) =>
  db
    .selectFrom('snapshots')
    .select(['id', 'resource', 'body'])
    .where(
      'resource',
      'in',
      rows.map(({ number }) => number),
    ),
)

/** The states kept of these resources, by number. The number of another resource's state finds nothing. */
export interface KeptSnapshots {
  of(resource: number, snapshotId: number | null): Document | undefined
  /** Those that a handler has failed with; `stored` is `progress.tried`. */
  tried(resource: number, stored: string | null): readonly Document[]
}

/** Reads the states kept of these resources: each once, however many handlers share it. */
export async function readSnapshots(
  db: Kysely<Tables>,
  resources: readonly NamedResource[],
  documents: Documents,
): Promise<KeptSnapshots> {
  const { rows } = resources.length === 0 ? { rows: [] } : await selectRows(db, resources)
  const key = (resource: number, snapshotId: number) => `${snapshotId} ${resource}`
  const idOf = new Map(resources.map(({ number, id }) => [number, id]))
  const kept = new Map(
    rows.map(({ id, resource, body }) => [
      key(resource, id),
      documents.read(body, sealContext.snapshot(idOf.get(resource) ?? '')),
    ]),
  )
  const of: KeptSnapshots['of'] = (resource, snapshotId) =>
    snapshotId === null ? undefined : kept.get(key(resource, snapshotId))
  return {
    of,
    tried: (resource, stored) => readTriedIds(stored).flatMap((id) => of(resource, id) ?? []),
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

const deleteUnused = createStatement((db, rows: readonly { number: number }[]) =>
  db
    .deleteFrom('snapshots')
    .where(
      'resource',
      'in',
      rows.map(({ number }) => number),
    )
    .where(
      sql<boolean>`not exists (select 1 from resources where resources.number = snapshots.resource
          and resources.snapshot_id = snapshots.id)
        and not exists (select 1 from progress where progress.resource = snapshots.resource
          and (progress.baseline_id = snapshots.id or progress.tried like '%"' || snapshots.id || '"%'))`,
    ),
)

/** Deletes the states that neither their resource nor a handler refers to any more. */
export async function dropUnusedSnapshots(
  trx: Transaction<Tables>,
  resources: readonly { number: number }[],
): Promise<void> {
  if (resources.length > 0) await deleteUnused(trx, resources)
}
