import type { Transaction } from 'kysely'
import { readDocument, type Documents, type Document } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'

/** The last stored snapshot of a resource, opened. */
export interface Revealed {
  id: string
  kind: ResourceKind
  /** When it was stored. */
  readAt: number | undefined
  /** Verbatim text from the service. */
  snapshot: unknown
}

/** The stored snapshot of a resource, not opened yet. */
export async function readSnapshot(
  trx: Transaction<Tables>,
  id: string,
  documents: Documents,
): Promise<(Omit<Revealed, 'snapshot'> & { document: Document }) | 'nothing' | 'unknown'> {
  const row = await trx
    .selectFrom('resources')
    .leftJoin('states', 'states.resource', 'resources.number')
    .select(['kind', 'snapshot', 'read_at'])
    .where('resources.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return 'unknown'
  const document = documents.read(row.snapshot, sealContext.snapshot(id))
  if (document === undefined) return 'nothing'
  return { id, kind: row.kind, readAt: row.read_at ?? undefined, document }
}

/** Opens it. Throws `SealBroken`. */
export function openSnapshot({
  document,
  ...found
}: Exclude<Awaited<ReturnType<typeof readSnapshot>>, string>): Revealed {
  return { ...found, snapshot: readDocument(document) }
}
