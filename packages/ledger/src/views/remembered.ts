import type { Kysely, Transaction } from 'kysely'
import type { Remembered } from '@pawl/base/system-notes'
import { numberOf } from '../resource-number.ts'
import type { Tables } from '../tables.ts'

/** A system's memory under one role. */
export interface RememberedRole {
  system: string
  role: string
  remembered: Remembered
}

/** A resource with all that systems remember of it. */
export interface RememberedResource {
  id: string
  snapshotAt: number | undefined
  /** A worker holds a claim on it. */
  isClaimed: boolean
  memory: readonly RememberedRole[]
}

/** Resources per step. */
const stepSize = 50

/** The next few resources after `cursor`, as of one moment; the last step is empty. */
export async function readRemembered(db: Kysely<Tables>, cursor: string): Promise<RememberedResource[]> {
  // One read view of every table: it blocks no writer, and sees no half-done work.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((trx) => readStep(trx, cursor))
}

/** The number of resources. */
export async function countResources(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('resources')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

async function readStep(trx: Transaction<Tables>, cursor: string): Promise<RememberedResource[]> {
  const resources = await trx
    .selectFrom('resources')
    .leftJoin('snapshots', 'snapshots.id', 'resources.snapshot_id')
    .select(['number', 'resources.id', 'read_at', 'claim_owner'])
    .where('number', '>', cursor === '' ? 0 : numberOf(cursor))
    .orderBy('number')
    .limit(stepSize)
    .execute()
  const numbers = resources.map(({ number }) => number)
  if (numbers.length === 0) return []
  // Another resource may have written a shared memory last.
  const memory = await trx
    .selectFrom('memory')
    .leftJoin('shared_memory as shared', (join) =>
      join.onRef('shared.system', '=', 'memory.system').onRef('shared.role', '=', 'memory.role'),
    )
    .select(['memory.system', 'resource', 'memory.role'])
    .select((eb) => eb.fn.coalesce('shared.foreign_id', 'memory.foreign_id').as('foreign_id'))
    .select((eb) => [
      eb
        .case()
        .when('shared.foreign_id', 'is', null)
        .then(eb.ref('memory.version'))
        .else(eb.ref('shared.version'))
        .end()
        .as('version'),
      eb
        .case()
        .when('shared.foreign_id', 'is', null)
        .then(eb.ref('memory.digest'))
        .else(eb.ref('shared.digest'))
        .end()
        .as('digest'),
    ])
    .where('resource', 'in', numbers)
    .execute()
  return resources.map((resource) => ({
    id: resource.id,
    snapshotAt: resource.read_at ?? undefined,
    isClaimed: resource.claim_owner !== null,
    memory: memory
      .filter((row) => row.resource === resource.number)
      .map(({ system, role, foreign_id: id, version, digest }) => ({
        system,
        role,
        remembered: { id, version: version ?? undefined, digest: digest ?? undefined },
      })),
  }))
}
