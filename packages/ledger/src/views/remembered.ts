import type { Kysely, Transaction } from 'kysely'
import type { Remembered } from '@pawl/base/system-notes'
import { numberOf } from '../resource-number.ts'
import { readStateDocument } from '../hot/state-document.ts'
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
    .leftJoin('states', 'resource', 'number')
    .select(['number', 'id', 'read_at', 'document', 'claim_owner'])
    .where('number', '>', cursor === '' ? 0 : numberOf(cursor))
    .orderBy('number')
    .limit(stepSize)
    .execute()
  // Another resource may have written a shared memory last.
  const held = resources.map(({ document, ...resource }) => ({ ...resource, ...readStateDocument(document) }))
  const roles = [...new Set(held.flatMap(({ memory }) => [...memory.values()].flatMap((own) => [...own.keys()])))]
  const shared = await readShared(trx, roles)
  const sharedOf = new Map(shared.map((row) => [`${row.system}\n${row.role}`, row]))
  return held.map(({ id, read_at: readAt, memory, claim_owner: owner }) => ({
    id,
    snapshotAt: readAt ?? undefined,
    isClaimed: owner !== null,
    memory: [...memory].flatMap(([system, byRole]) =>
      [...byRole].map(([role, own]) => {
        const row = sharedOf.get(`${system}\n${role}`)
        const remembered =
          row?.foreign_id == null
            ? own
            : { id: row.foreign_id, version: row.version ?? undefined, digest: row.digest ?? undefined }
        return { system, role, remembered }
      }),
    ),
  }))
}

async function readShared(trx: Transaction<Tables>, roles: readonly string[]) {
  if (roles.length === 0) return []
  return trx
    .selectFrom('shared_memory')
    .selectAll()
    .where('role', 'in', roles)
    .where('foreign_id', 'is not', null)
    .execute()
}
