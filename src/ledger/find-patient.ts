import { type Kysely, sql } from 'kysely'
import type { Documents } from './documents.ts'
import type { PatientStep } from './ledger.ts'
import { nameOf } from './lookups.ts'
import type { Seal } from './seal.ts'
import type { Tables } from './tables.ts'

/** Few enough that nobody waits for it: all contents of these resources are opened. */
const stepSize = 50

interface Deps {
  documents: Documents
  seal: Pick<Seal, 'digests'>
}

/**
 * Looks through the next few resources for those of a patient, by the customer's own number (`internal_id`): those that are found by it now, and those of which anything
 * stored names it, also what was stored before the ledger kept such numbers. An outreach attempt belongs to the patient of its prior authorization.
 */
export async function findPatient(
  db: Kysely<Tables>,
  { value, cursor = 'resource:' }: { value: string; cursor?: string | undefined },
  deps: Deps,
): Promise<PatientStep> {
  const [, of, after = ''] = /^(resource|event):(.*)$/s.exec(cursor) ?? []
  if (of === 'event') return findStray(db, { value, after: Number(after) }, deps)
  const rows = await db
    .selectFrom('resources')
    .select(['id', 'kind'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(stepSize)
    .execute()
  const ids = rows.map(({ id }) => id)
  const contents = await readContents(db, ids, deps)
  const linked = new Map(
    rows
      .filter(({ kind }) => kind === 'provider_outreach')
      .map(({ id }) => [id, (contents.get(id) ?? []).flatMap(readLinks)]),
  )
  const others = [...new Set([...linked.values()].flat())]
  for (const [id, held] of await readContents(db, others, deps)) contents.set(id, held)
  const found = await findLookedUp(db, [...ids, ...others], value, deps)
  const isOfPatient = (id: string) =>
    found.has(id) || (contents.get(id) ?? []).some((content) => namesPatient(content, value))
  return {
    resources: rows.filter(({ id }) => isOfPatient(id) || (linked.get(id) ?? []).some(isOfPatient)),
    events: [],
    looked: rows.length,
    cursor: rows.length < stepSize ? 'event:0' : `resource:${ids.at(-1)}`,
  }
}

async function findStray(
  db: Kysely<Tables>,
  { value, after }: { value: string; after: number },
  { documents }: Deps,
): Promise<PatientStep> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'body'])
    .where('resource_id', '=', '')
    .where('id', '>', after)
    .orderBy('id')
    .limit(stepSize)
    .execute()
  const events = rows.filter(({ body }) => namesPatient(open(body, documents), value)).map(({ id }) => id)
  const cursor = rows.length < stepSize ? undefined : `event:${rows.at(-1)?.id}`
  return { resources: [], events, looked: 0, cursor }
}

async function findLookedUp(db: Kysely<Tables>, ids: readonly string[], value: string, { seal }: Deps) {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('lookups')
    .select('resource_id')
    .where('resource_id', 'in', ids)
    .where('digest', 'in', seal.digests(nameOf({ field: 'internal_id', value })))
    .execute()
  return new Set(rows.map(({ resource_id: id }) => id))
}

/** Everything that is stored of these resources, opened and parsed; what cannot be is left out: nobody can read it. */
async function readContents(
  db: Kysely<Tables>,
  ids: readonly string[],
  { documents }: Deps,
): Promise<Map<string, unknown[]>> {
  const contents = new Map<string, unknown[]>()
  if (ids.length === 0) return contents
  const of = sql`in (${sql.join(ids)})`
  const { rows } = await sql<{ id: string; content: Uint8Array | null }>`
    select id, snapshot as content from resources where id ${of} union all
    select resource_id, body from events where resource_id ${of} union all
    select resource_id, baseline from progress where resource_id ${of} union all
    select resource_id, tried from progress where resource_id ${of} union all
    select resource_id, value from effects where resource_id ${of}`.execute(db)
  for (const { id, content } of rows) {
    const held = open(content, documents)
    if (held !== undefined) contents.set(id, [...(contents.get(id) ?? []), held])
  }
  return contents
}

function open(stored: Uint8Array | null, documents: Documents): unknown {
  const document = documents.read(stored)
  if (document === undefined || 'broken' in document) return undefined
  try {
    return JSON.parse(document.text)
  } catch {
    return undefined
  }
}

/** Every object within a document, however deep: a webhook may nest beyond what a stack holds. */
function* objectsIn(content: unknown): Generator<Record<string, unknown>> {
  const open = [content]
  for (let each = open.pop(); open.length > 0 || each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue
    // Of JSON, it is an object or an array; both have their members by name.
    yield each as Record<string, unknown>
    for (const value of Object.values(each)) if (typeof value === 'object' && value !== null) open.push(value)
  }
}

function namesPatient(content: unknown, value: string): boolean {
  const sought = nameOf({ field: 'internal_id', value })
  for (const { patient } of objectsIn(content)) {
    if (typeof patient !== 'object' || patient === null || !('internal_id' in patient)) continue
    const { internal_id: id } = patient
    if (
      (typeof id === 'string' || typeof id === 'number') &&
      nameOf({ field: 'internal_id', value: String(id) }) === sought
    )
      return true
  }
  return false
}

function readLinks(content: unknown): string[] {
  return [...objectsIn(content)].flatMap(({ prior_authorization_id: id }) => (typeof id === 'string' ? [id] : []))
}
