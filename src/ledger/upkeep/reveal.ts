import type { Transaction } from 'kysely'
import type { Document, Revealed } from '../ledger.ts'
import { readDocument, type Documents } from '../sealing/documents.ts'
import { placeOf } from '../sealing/place.ts'
import type { Tables } from '../tables.ts'

/** The stored snapshot of a resource, still as a document. */
export async function readSnapshot(
  trx: Transaction<Tables>,
  id: string,
  documents: Documents,
): Promise<(Omit<Revealed, 'snapshot'> & { document: Document }) | 'nothing' | 'unknown'> {
  const row = await trx
    .selectFrom('resources')
    .select(['kind', 'snapshot', 'snapshot_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return 'unknown'
  const document = documents.read(row.snapshot, placeOf.snapshot(id))
  if (document === undefined) return 'nothing'
  return { id, kind: row.kind, readAt: row.snapshot_at ?? undefined, document }
}

/** Opens it. Throws `SealBroken`. */
export function openSnapshot({
  document,
  ...found
}: Exclude<Awaited<ReturnType<typeof readSnapshot>>, string>): Revealed {
  return { ...found, snapshot: readDocument(document) }
}
