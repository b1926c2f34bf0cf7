import { type Kysely, sql } from 'kysely'
import type { Remembered } from '@pawl/base/system-notes'
import type { Tables } from '../tables.ts'
import { createStatement } from './statement.ts'

/** Memories of a resource, by system and role. */
export type MemoryBySystem = ReadonlyMap<string, ReadonlyMap<string, Remembered>>

const selectMemories = createStatement((db, resources: readonly { number: number }[]) =>
  db
    .selectFrom('memory')
    .select(['resource', 'system', 'role', 'foreign_id', 'version', 'digest'])
    .where(
      'resource',
      'in',
      resources.map(({ number }) => number),
    ),
)

/** Memories of these resources, by number; none for a resource without any. */
export async function readMemories(
  db: Kysely<Tables>,
  resources: readonly { number: number }[],
): Promise<ReadonlyMap<number, MemoryBySystem>> {
  const { rows } = await selectMemories(db, resources)
  const found = new Map<number, Map<string, Map<string, Remembered>>>()
  for (const { resource, system, role, foreign_id: id, version, digest } of rows) {
    const bySystem = found.get(resource) ?? new Map<string, Map<string, Remembered>>()
    const byRole = bySystem.get(system) ?? new Map<string, Remembered>()
    byRole.set(role, { id, version: version ?? undefined, digest: digest ?? undefined })
    found.set(resource, bySystem.set(system, byRole))
  }
  return found
}

/** The entry of handlers that was written last under this role, for any resource. Only these have an index by role. */
export async function readNewestMemory(
  db: Kysely<Tables>,
  { system, role }: { system: string; role: string },
): Promise<Remembered | undefined> {
  const row = await db
    .selectFrom('memory')
    .select('foreign_id')
    .where('role', '=', role)
    .where('system', '=', system)
    .where(sql<boolean>`system like 'handler:%'`)
    .orderBy('written_at', 'desc')
    .orderBy('resource', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { id: row.foreign_id }
}
