import type { Kysely } from 'kysely'
import type { Remembered } from '@pawl/base/system-notes'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { ViewCore } from '../core.ts'
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
  kind: ResourceKind
  snapshotAt: number | undefined
  /** A worker holds a claim on it. */
  isClaimed: boolean
  memory: readonly RememberedRole[]
}

/** Resources per step. */
const stepSize = 50

/** The next few resources after `cursor`, as they became known; the last step is empty. */
export async function readRemembered(db: Kysely<Tables>, cursor: string): Promise<RememberedResource[]> {
  const numbered = selectNumbered(db)
    .where('number', '>', cursor === '' ? 0 : numberOf(cursor))
    .orderBy('number')
    .limit(stepSize)
  return withMemory(db, await numbered.execute())
}

/** One resource; `undefined` if the ledger knows none of this id. */
export async function readRememberedOne(db: Kysely<Tables>, id: string): Promise<RememberedResource | undefined> {
  return (await withMemory(db, await selectNumbered(db).where('id', '=', id).execute()))[0]
}

/** Reads of what systems remember. */
export type RememberedViews = ReturnType<typeof createRememberedViews>

export function createRememberedViews({ db }: Pick<ViewCore, 'db'>) {
  return {
    /** One resource with all that systems remember of it. */
    remembered: (id: string) => readRememberedOne(db, id),
    /** The next few resources after this one, as they became known; none at the end. */
    rememberedAfter: (cursor: string) => readRemembered(db, cursor),
  }
}

/** The number of resources. */
export async function countResources(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('resources')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

function selectNumbered(db: Kysely<Tables>) {
  return db
    .selectFrom('resources')
    .leftJoin('states', 'resource', 'number')
    .select(['number', 'id', 'kind', 'read_at', 'document', 'claim_owner'])
}

type NumberedRow = Awaited<ReturnType<ReturnType<typeof selectNumbered>['execute']>>[number]

async function withMemory(db: Kysely<Tables>, resources: readonly NumberedRow[]): Promise<RememberedResource[]> {
  // Another resource may have written a shared memory last.
  const held = resources.map(({ document, ...resource }) => ({ ...resource, ...readStateDocument(document) }))
  const roles = [...new Set(held.flatMap(({ memory }) => [...memory.values()].flatMap((own) => [...own.keys()])))]
  const shared = await readShared(db, roles)
  const sharedOf = new Map(shared.map((row) => [`${row.system}\n${row.role}`, row]))
  return held.map(({ id, kind, read_at: readAt, memory, claim_owner: owner }) => ({
    id,
    kind,
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

async function readShared(db: Kysely<Tables>, roles: readonly string[]) {
  if (roles.length === 0) return []
  return db
    .selectFrom('shared_memory')
    .selectAll()
    .where('role', 'in', roles)
    .where('foreign_id', 'is not', null)
    .execute()
}
