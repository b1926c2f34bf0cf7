import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { type Identifier, type IdentifierField, identifierFields } from 'pawl-client/schemas/identifiers'
import type { Seal } from '../sealing/seal.ts'
import { createWrite } from './statement.ts'
import type { Tables } from '../tables.ts'

/** A number in canonical form for comparison: case and surrounding characters are ignored. */
export function nameOf({ field, value }: Identifier): string {
  return `${field}\n${value.normalize('NFKC').trim().toLowerCase()}`
}

const insertLookups = createWrite((db, rows: readonly Tables['lookups'][]) =>
  db
    .insertInto('lookups')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
)

const deleteLookups = createWrite((db, rows: readonly { resource: number }[]) =>
  db.deleteFrom('lookups').where(
    'resource',
    'in',
    rows.map(({ resource }) => resource),
  ),
)

/** Numbers by which a resource can be found; `mark` is the current `resources.lookup_mark`. */
export interface LookupNumbers {
  resource: number
  identifiers: readonly Identifier[]
  mark: string | null
}

/** Replaces the numbers by which resources can be found, unless unchanged; resolves with each new `resources.lookup_mark`. */
export async function saveLookups(
  trx: Transaction<Tables>,
  findable: readonly LookupNumbers[],
  seal: Pick<Seal, 'digest'>,
): Promise<(string | null)[]> {
  const all = findable.map(({ resource, identifiers, mark }) => {
    const byName = new Map(identifiers.map((each) => [nameOf(each), each.field]))
    const rows = [...byName].map(([name, field]) => ({ resource, field, digest: seal.digest(name) }))
    return { resource, rows, mark, newMark: rows.length === 0 ? null : markOf(rows) }
  })
  const changed = all.filter(({ mark, newMark }) => mark !== newMark)
  const gone = changed.filter(({ mark }) => mark !== null)
  if (gone.length > 0) await deleteLookups(trx, gone)
  const rows = changed.flatMap((each) => each.rows)
  if (rows.length > 0) await insertLookups(trx, rows)
  return all.map(({ newMark }) => newMark)
}

function markOf(rows: readonly { digest: string }[]): string {
  const all = rows.map(({ digest }) => digest).toSorted()
  return createHash('sha256').update(all.join()).digest('base64url').slice(0, 16)
}

/** Resources with this number in one of the fields, last heard of first, each with the field. */
export async function findByLookup(
  db: Kysely<Tables>,
  { value, fields = identifierFields }: { value: string; fields?: readonly IdentifierField[] | undefined },
  limit: number,
  seal: Pick<Seal, 'digests'>,
): Promise<{ resourceId: string; field: IdentifierField }[]> {
  const digests = fields.flatMap((field) => seal.digests(nameOf({ field, value })))
  if (digests.length === 0) return []
  const rows = await db
    .selectFrom('lookups')
    .innerJoin('resources', 'number', 'resource')
    // A resource may carry the number in several fields.
    .select(['id', (eb) => eb.fn.min('field').as('field')])
    .where('digest', 'in', digests)
    .groupBy(['id', 'newest_event_id'])
    .orderBy('newest_event_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id: resourceId, field }) => ({ resourceId, field }))
}
