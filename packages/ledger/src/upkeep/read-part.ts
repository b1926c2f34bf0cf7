import type { Kysely } from 'kysely'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Tables } from '../tables.ts'

/** An event without a resource, with its stored body. */
export interface StrayEvent {
  id: number
  fingerprint: Uint8Array
  body: Uint8Array
}

/** A row of the report, with its stored groups. */
export interface OutcomeGroups {
  resource: number
  /** Null once the resource has ended and its snapshot is gone. */
  id: string | null
  kind: ResourceKind
  heard_at: number
  groups: Uint8Array
}

/** A few resources, events without a resource, or outcomes. */
export interface Part {
  resources: { number: number; id: string; kind: ResourceKind }[]
  strays: StrayEvent[]
  outcomes: OutcomeGroups[]
  /** Cursor of the next part; absent at the end. */
  cursor: string | undefined
}

const nothing = { resources: [], strays: [], outcomes: [] }

/** Reads through the whole ledger, `limit` rows at a time: resources, events without one, then, unless excluded, outcomes, whose rows outlive both. */
export async function readPart(
  db: Kysely<Tables>,
  cursor: string | undefined,
  limit: number,
  { withOutcomes = true } = {},
): Promise<Part> {
  const [, of, after = ''] = /^(resource|event|outcome):(.*)$/s.exec(cursor ?? 'resource:0') ?? []
  if (of === 'outcome') return readOutcomes(db, Number(after), limit)
  if (of === 'event')
    return readStrays(db, Number(after), limit, withOutcomes ? `outcome:${Number.MIN_SAFE_INTEGER}` : undefined)
  const resources = await db
    .selectFrom('resources')
    .select(['number', 'id', 'kind'])
    .where('number', '>', Number(after))
    .orderBy('number')
    .limit(limit)
    .execute()
  const next = resources.length < limit ? 'event:0' : `resource:${resources.at(-1)?.number}`
  return { ...nothing, resources, cursor: next }
}

async function readStrays(
  db: Kysely<Tables>,
  after: number,
  limit: number,
  nextStage: string | undefined,
): Promise<Part> {
  const strays = await db
    .selectFrom('events')
    .select(['id', 'fingerprint', 'body'])
    .where('kind', 'is', null)
    .where('resource', '=', 0)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const next = strays.length < limit ? nextStage : `event:${strays.at(-1)?.id}`
  return { ...nothing, strays, cursor: next }
}

async function readOutcomes(db: Kysely<Tables>, after: number, limit: number): Promise<Part> {
  const outcomes = await db
    .selectFrom('outcomes')
    .leftJoin('resources', 'number', 'resource')
    .select(['resource', 'id', 'outcomes.kind', 'heard_at', 'groups'])
    .where('resource', '>', after)
    .orderBy('resource')
    .limit(limit)
    .execute()
  const next = outcomes.length < limit ? undefined : `outcome:${outcomes.at(-1)?.resource}`
  return { ...nothing, outcomes, cursor: next }
}
