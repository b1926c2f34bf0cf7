import type { Transaction } from 'kysely'
import { readDocument, type Documents, type Document } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'

/** The last stored snapshot of a resource, or the envelope of one of its events, opened. */
export interface Revealed {
  id: string
  kind: ResourceKind
  /** When it was stored. */
  readAt: number | undefined
  /** Verbatim text from the service. */
  snapshot: unknown
}

/** Not opened yet; `nothing`: none is stored. */
type Stored = (Omit<Revealed, 'snapshot'> & { document: Document }) | 'nothing' | 'unknown'

/** The stored snapshot of a resource. */
export async function readSnapshot(trx: Transaction<Tables>, id: string, documents: Documents): Promise<Stored> {
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

/** The stored envelope of one of its events. */
export async function readEnvelope(
  trx: Transaction<Tables>,
  { id, eventId }: { id: string; eventId: number },
  documents: Documents,
): Promise<Stored> {
  const row = await trx
    .selectFrom('events')
    .select(['kind', 'body', 'fingerprint', 'received_at'])
    .where('id', '=', eventId)
    .where('resource_id', '=', id)
    .executeTakeFirst()
  if (row === undefined || row.kind === null) return 'unknown'
  const document = documents.read(row.body, sealContext.body(id, row.fingerprint))
  return document === undefined ? 'nothing' : { id, kind: row.kind, readAt: row.received_at, document }
}

/** Opens it. Throws `SealBroken`. */
export function openStored({ document, ...found }: Exclude<Stored, string>): Revealed {
  return { ...found, snapshot: readDocument(document) }
}
