import type { Kysely, Transaction } from 'kysely'
import { type Identifier, type IdentifierField, identifierFields } from 'pawl-client/schemas/identifier-fields'
import { groupBy } from '../hot/group-by.ts'
import { createRowsByKey } from '../hot/rows-by-key.ts'
import { createWrite } from '../hot/statement.ts'
import type { Seal } from '../sealing/seal.ts'
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

const readLookups = createRowsByKey('lookups', 'resource', ['resource', 'digest'])

/** Numbers by which a resource can be found. */
export interface LookupNumbers {
  resource: number
  identifiers: readonly Identifier[]
}

/** Replaces the numbers by which resources can be found, unless unchanged. */
export async function saveLookups(
  trx: Transaction<Tables>,
  findable: readonly LookupNumbers[],
  seal: Pick<Seal, 'digest'>,
): Promise<void> {
  if (findable.length === 0) return
  const numbers = findable.map(({ resource }) => resource)
  const stored = groupBy(await readLookups(trx, numbers), ({ resource }) => resource)
  const changed = findable.flatMap(({ resource, identifiers }) => {
    const byName = new Map(identifiers.map((each) => [nameOf(each), each.field]))
    const rows = [...byName].map(([name, field]) => ({ resource, field, digest: seal.digest(name) }))
    const before = new Set(stored.get(resource)?.map(({ digest }) => digest))
    const isSame = rows.length === before.size && rows.every(({ digest }) => before.has(digest))
    return isSame ? [] : { resource, rows, isReplaced: before.size > 0 }
  })
  const replaced = changed.filter(({ isReplaced }) => isReplaced)
  if (replaced.length > 0) await deleteLookups(trx, replaced)
  const rows = changed.flatMap((each) => each.rows)
  if (rows.length > 0) await insertLookups(trx, rows)
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
