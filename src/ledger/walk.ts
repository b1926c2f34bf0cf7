import type { Kysely } from 'kysely'
import type { ResourceKind } from '../resources/kinds.ts'
import type { Tables } from './tables.ts'

/** An event of no resource, with its body as it is stored. */
export interface StrayEvent {
  id: number
  fingerprint: Uint8Array
  body: Uint8Array
}

/** A few resources, or a few events of none. */
export interface Part {
  resources: { id: string; kind: ResourceKind }[]
  strays: StrayEvent[]
  /** Leads to the next part; absent: that was the last. */
  cursor: string | undefined
}

/** Goes through all that the ledger holds, `limit` rows at a time: first the resources, then the events of none. */
export async function readPart(db: Kysely<Tables>, cursor: string | undefined, limit: number): Promise<Part> {
  const [, of, after = ''] = /^(resource|event):(.*)$/s.exec(cursor ?? 'resource:') ?? []
  if (of === 'event') return readStrays(db, Number(after), limit)
  const resources = await db
    .selectFrom('resources')
    .select(['id', 'kind'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const next = resources.length < limit ? 'event:0' : `resource:${resources.at(-1)?.id}`
  return { resources, strays: [], cursor: next }
}

async function readStrays(db: Kysely<Tables>, after: number, limit: number): Promise<Part> {
  const strays = await db
    .selectFrom('events')
    .select(['id', 'fingerprint', 'body'])
    .where('resource_id', '=', '')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return { resources: [], strays, cursor: strays.length < limit ? undefined : `event:${strays.at(-1)?.id}` }
}
