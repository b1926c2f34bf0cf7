import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { createRowsByKey } from './hot/rows-by-key.ts'
import type { Tables } from './tables.ts'

/** Part of a statement: the number of this resource; null if it is not known. */
export const numberOf = (id: string) => sql<number>`(select number from resources where id = ${id})`

/** Part of a statement: the numbers of the known ones of these resources. */
export const numbersOf = (ids: readonly string[]) =>
  sql<number>`(select number from resources where id in (${sql.join(ids)}))`

/** The stray number, for a resource's events of unknown types, whether or not it is known: below zero; 0 for no resource. */
export function strayNumberOf(id: string): number {
  return id === '' ? 0 : -1 - createHash('sha256').update(id).digest().readUIntBE(0, 6)
}

const readRows = createRowsByKey('resources', 'id', ['id', 'number'])

/** The numbers of the known ones of these resources. */
export async function readNumbers(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return new Map((await readRows(db, ids)).map(({ id, number }) => [id, number]))
}
