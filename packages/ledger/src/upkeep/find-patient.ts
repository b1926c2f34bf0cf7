import type { Kysely } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import { nameOf } from '../projections/lookups.ts'
import { type SealContext, sealContext } from '../sealing/seal-context.ts'
import type { Seal } from '../sealing/seal.ts'
import { readSealed } from '../sealing/sealed-values.ts'
import type { Tables } from '../tables.ts'
import { readPart } from './read-part.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { numbersOf } from '../resource-number.ts'

/** One part of the search for a patient's data. */
export interface PatientStep {
  resources: { id: string; kind: ResourceKind }[]
  /** Events without a resource whose bodies name the patient. */
  events: number[]
  looked: number
  /** Milliseconds since the last erasure in the audit trail; null: none recorded; absent: a later part, or a ledger without sealing keys, whose trail identifies no patients. */
  erasedAgoMs?: number | null | undefined
  /** Cursor of the next part; absent at the end. */
  cursor: string | undefined
}

/** Few enough not to delay others: all contents of these resources are opened. */
const stepSize = 50

interface Deps {
  documents: Documents
  seal: Pick<Seal, 'digests'>
}

/**
 * Searches the next few resources for a patient's `internal_id`: by lookup, and in all stored content,
 * which covers content older than the lookups. An outreach attempt belongs to the patient of its prior authorization.
 */
export async function findPatient(
  db: Kysely<Tables>,
  { value, cursor }: { value: string; cursor?: string | undefined },
  deps: Deps,
): Promise<PatientStep> {
  // Without outcomes: a resource's is erased with it, and the others identify no patient.
  const { resources: rows, strays, cursor: next } = await readPart(db, cursor, stepSize, { withOutcomes: false })
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
    resources: rows
      .filter(({ id }) => isOfPatient(id) || (linked.get(id) ?? []).some(isOfPatient))
      .map(({ id, kind }) => ({ id, kind })),
    events: strays
      .filter(({ fingerprint, body }) =>
        namesPatient(open(body, sealContext.body('', fingerprint), deps.documents), value),
      )
      .map(({ id }) => id),
    looked: rows.length,
    cursor: next,
  }
}

async function findLookedUp(db: Kysely<Tables>, ids: readonly string[], value: string, { seal }: Deps) {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('lookups')
    .innerJoin('resources', 'number', 'resource')
    .select('id')
    .where('resource', 'in', numbersOf(ids))
    .where('digest', 'in', seal.digests(nameOf({ field: 'internal_id', value })))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** All stored content of these resources, opened and parsed; content that cannot be opened is left out. */
async function readContents(
  db: Kysely<Tables>,
  ids: readonly string[],
  { documents }: Deps,
): Promise<Map<string, unknown[]>> {
  const contents = new Map<string, unknown[]>()
  for (const { resourceId: id, context, stored } of await readSealed(db, ids)) {
    const held = open(stored, context, documents)
    if (held !== undefined) contents.set(id, [...(contents.get(id) ?? []), held])
  }
  return contents
}

function open(stored: Uint8Array | null, context: SealContext, documents: Documents): unknown {
  const document = documents.read(stored, context)
  if (document === undefined || 'broken' in document) return undefined
  try {
    return JSON.parse(document.text)
  } catch {
    return undefined
  }
}

/** Every object within a document at any depth, without recursion: a webhook may nest deeper than the stack allows. */
function* objectsIn(content: unknown): Generator<Record<string, unknown>> {
  const open = [content]
  for (let each = open.pop(); open.length > 0 || each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue
    // In JSON an object or an array; both list their members.
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
