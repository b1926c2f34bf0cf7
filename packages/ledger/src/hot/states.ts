import { type Kysely, sql, type Transaction } from 'kysely'
import { type Document, type Documents } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import { groupBy } from './group-by.ts'
import {
  emptyDocument,
  readStateDocument,
  refersToEarlier,
  type StateDocument,
  writeStateDocument,
} from './state-document.ts'
import { createRowsByKey } from './rows-by-key.ts'
import { createWrite, lockingRows } from './statement.ts'

/** A resource by both of its names. */
export interface NamedResource {
  number: number
  id: string
}

/** A state to store; without `text` the stored snapshot stays, read again at `readAt` if that is given. */
export interface NewState extends NamedResource {
  document: StateDocument
  version: number
  text: string | undefined
  /** Of the snapshot in `text`. */
  identity?: string | undefined
  readAt: number | null
}

const upsertStates = createWrite((db, rows: readonly Tables['states'][]) =>
  db
    .insertInto('states')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('resource').doUpdateSet((eb) => ({
        document: eb.ref('excluded.document'),
        version: eb.ref('excluded.version'),
        snapshot: sql<Uint8Array | null>`coalesce(excluded.snapshot, states.snapshot)`,
        identity: sql<Uint8Array | null>`case when excluded.snapshot is null then states.identity
          else excluded.identity end`,
        read_at: sql<number | null>`coalesce(excluded.read_at, states.read_at)`,
      })),
    ),
)

export async function saveStates(
  trx: Transaction<Tables>,
  states: readonly NewState[],
  documents: Documents,
): Promise<void> {
  if (states.length === 0) return
  await upsertStates(
    trx,
    states.map(({ number, id, document, version, text, identity, readAt }) => ({
      resource: number,
      document: writeStateDocument(document),
      version,
      snapshot: text === undefined ? null : documents.write(text, sealContext.snapshot(id)),
      identity: identity === undefined ? null : documents.write(identity, sealContext.identity(id)),
      read_at: readAt,
    })),
  )
}

const upsertDocuments = createWrite((db, rows: readonly Tables['states'][]) =>
  db
    .insertInto('states')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('resource').doUpdateSet((eb) => ({ document: eb.ref('excluded.document') })),
    ),
)

/** Edits the documents of these resources; one that was never read by a GET gets its first. */
export async function editDocuments(
  trx: Transaction<Tables>,
  numbers: readonly number[],
  edit: (document: StateDocument, number: number) => void,
): Promise<void> {
  if (numbers.length === 0) return
  // Whoever edits need not hold the claim: a release in between must not be overwritten.
  const held = await trx
    .selectFrom('states')
    .select(['resource', 'document'])
    .where('resource', 'in', numbers)
    .modifyEnd(lockingRows(trx, 'states'))
    .execute()
  const stored = new Map(held.map(({ resource, document }) => [resource, readStateDocument(document)]))
  const rows = numbers.map((resource) => {
    const document = stored.get(resource) ?? emptyDocument()
    edit(document, resource)
    return {
      resource,
      document: writeStateDocument(document),
      version: 0,
      snapshot: null,
      identity: null,
      read_at: null,
    }
  })
  await upsertDocuments(trx, rows)
}

const readDocumentRows = createRowsByKey('states', 'resource', ['resource', 'document'])

/** The stored documents of these resources, by number. */
export async function readDocuments(
  db: Kysely<Tables>,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, StateDocument>> {
  const rows = await readDocumentRows(db, numbers)
  return new Map(rows.map(({ resource, document }) => [resource, readStateDocument(document)]))
}

/** Snapshots of one resource by version; `undefined` where none is kept. */
export type KeptSnapshots = (version: number | undefined) => Document | undefined

/** A row of `states`, read. */
export interface StoredState {
  row: Pick<Tables['states'], 'resource' | 'version'>
  document: StateDocument
  /** Every snapshot that its handlers compare with, and the newest. */
  kept: KeptSnapshots
}

const readStateRows = createRowsByKey('states', 'resource', ['resource', 'document', 'version', 'snapshot'])
const readBaselineRows = createRowsByKey('baselines', 'resource', ['resource', 'version', 'snapshot'])

/** The states of these resources, with all snapshots that their handlers compare with. */
export async function readStates(
  db: Kysely<Tables>,
  resources: readonly NamedResource[],
  documents: Documents,
): Promise<ReadonlyMap<number, StoredState>> {
  const rows = await readStateRows(
    db,
    resources.map(({ number }) => number),
  )
  const idOf = new Map(resources.map(({ number, id }) => [number, id]))
  return openStates(
    db,
    rows.map((row) => ({ ...row, id: idOf.get(row.resource) ?? '' })),
    documents,
  )
}

/** A row of `states` with its snapshot, sealed. */
export type SealedState = Pick<Tables['states'], 'resource' | 'document' | 'version' | 'snapshot'> & { id: string }

/** Opens every snapshot of these rows, and those that their handlers compare with, once, however many share it. */
export async function openStates(
  db: Kysely<Tables>,
  rows: readonly SealedState[],
  documents: Documents,
): Promise<ReadonlyMap<number, StoredState>> {
  const found = rows.map((row) => ({ row, document: readStateDocument(row.document) }))
  const behind = found.filter(({ row, document }) => refersToEarlier(document, row.version))
  const baselines = await readBaselineRows(
    db,
    behind.map(({ row }) => row.resource),
  )
  const earlier = groupBy(baselines, ({ resource }) => resource)
  return new Map(
    found.map(({ row, document }) => {
      const context = sealContext.snapshot(row.id)
      const open = new Map<number, Document>()
      for (const { version, snapshot } of [...(earlier.get(row.resource) ?? []), row]) {
        const opened = documents.read(snapshot, context)
        if (opened !== undefined) open.set(version, opened)
      }
      return [
        row.resource,
        { row, document, kept: (version) => (version === undefined ? undefined : open.get(version)) },
      ]
    }),
  )
}

/** Keeps the stored snapshots of these resources as baselines: call it before they are replaced. */
export async function keepAsBaselines(trx: Transaction<Tables>, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return
  await sql`insert into baselines (resource, version, snapshot, read_at)
    select resource, version, snapshot, read_at from states
    where resource in (${sql.join(numbers)}) and snapshot is not null`.execute(trx)
}

export async function insertBaselines(trx: Transaction<Tables>, rows: readonly Tables['baselines'][]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('baselines').values(rows).execute()
}

/** Deletes the baselines of a resource other than these. */
export async function dropBaselines(trx: Transaction<Tables>, number: number, except: Iterable<number>): Promise<void> {
  const kept = [...except]
  let query = trx.deleteFrom('baselines').where('resource', '=', number)
  if (kept.length > 0) query = query.where('version', 'not in', kept)
  await query.execute()
}
