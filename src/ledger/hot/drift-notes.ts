import type { Kysely, Transaction } from 'kysely'
import { z } from 'zod'
import { undocumented } from '../../service/schemas/documented.ts'
import { driftKinds, type Unknown } from '../../service/schemas/drift.ts'
import { type Documents, readDocument } from '../sealing/documents.ts'
import type { GroupCommit } from './group-commit.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { type Seal, SealBroken } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'
import type { ViewCore } from '../core.ts'

/** A name or value unknown to the catalogue, and the resource that carried it; the id is empty if there is none. */
export interface Sighting extends Unknown {
  resourceId: string
}

/** A name or value unknown to the catalogue, and its number of sightings. */
export interface Drift extends Sighting {
  firstAt: number
  lastAt: number
  seen: number
}

/** Records unknown names and values in batches. */
export interface DriftNotes {
  note(sightings: readonly Sighting[]): void
  /** Flushes and stops. */
  close(): Promise<void>
}

const flushEveryMs = 1_000

/** Max distinct entries, in a batch as in the ledger: a sender who makes up names can fill neither memory nor disk. */
export const maxDrift = 1_000

interface DriftDeps {
  documents: Documents
  seal: Pick<Seal, 'digest'>
}

interface Counted extends Sighting {
  count: number
}

/** Buffers sightings for a second: a field present in every delivery then costs one small write a second. */
export function createDriftNotes(commits: Pick<GroupCommit, 'write'>, deps: DriftDeps): DriftNotes {
  let noted = new Map<string, Counted>()
  let leftOut = 0
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = [...noted.values()]
    const without = leftOut
    noted = new Map()
    leftOut = 0
    if (batch.length > 0) await commits.write((trx, now) => saveDrift(trx, { batch, without }, now, deps))
  }

  return {
    note(sightings) {
      for (const sighting of sightings) {
        const key = keyOf(sighting)
        const known = noted.get(key)
        if (known !== undefined) {
          known.count += 1
          known.resourceId = sighting.resourceId
        } else if (noted.size < maxDrift) noted.set(key, { ...sighting, count: 1 })
        else leftOut += 1
      }
      // A lost sighting recurs.
      if (noted.size > 0) timer ??= setTimeout(() => void flush().catch(() => undefined), flushEveryMs).unref()
    },
    close: flush,
  }
}

function keyOf({ kind, name, value }: Pick<Sighting, 'name' | 'value'> & { kind: string }): string {
  return JSON.stringify([kind, name, value])
}

/** Counts known entries and adds new ones while there is room. */
async function saveDrift(
  trx: Transaction<Tables>,
  { batch, without }: { batch: readonly Counted[]; without: number },
  now: number,
  { documents, seal }: DriftDeps,
): Promise<void> {
  const rows = await trx.selectFrom('drift').select(['digest', 'kind', 'what']).execute()
  // Compared by content: entries of an older key have another digest.
  const known = new Map(rows.map((row) => [keyOf({ kind: row.kind, ...readWhat(row, documents) }), row.digest]))
  let room = maxDrift - rows.length
  let leftOut = without
  const kept: Tables['drift'][] = []
  for (const { kind, name, value, resourceId, count } of batch) {
    const key = keyOf({ kind, name, value })
    if (!known.has(key)) room -= 1
    if (known.has(key) || room >= 0) {
      const digest = known.get(key) ?? seal.digest(key)
      const what = documents.write(JSON.stringify({ name, value }), sealContext.drift(digest))
      kept.push({ digest, kind, what, first_at: now, last_at: now, seen: count, resource_id: resourceId })
    } else leftOut += count
  }
  if (leftOut > 0)
    kept.push({
      digest: '',
      kind: 'left_out',
      what: Buffer.alloc(0),
      first_at: now,
      last_at: now,
      seen: leftOut,
      resource_id: '',
    })
  // One order for all processes, so that concurrent writers cannot deadlock.
  const ordered = kept.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
  for (let at = 0; at < ordered.length; at += 100)
    await trx
      .insertInto('drift')
      .values(ordered.slice(at, at + 100))
      .onConflict((conflict) =>
        conflict.column('digest').doUpdateSet((eb) => ({
          last_at: eb.ref('excluded.last_at'),
          seen: eb('drift.seen', '+', eb.ref('excluded.seen')),
          resource_id: eb.ref('excluded.resource_id'),
        })),
      )
      .execute()
}

const What = z.object({ name: z.string(), value: z.string() })

/** Name and value; `?` if it cannot be opened. */
function readWhat({ digest, what }: Pick<Tables['drift'], 'digest' | 'what'>, documents: Documents) {
  try {
    const read = readDocument(documents.read(what, sealContext.drift(digest)))
    return read === undefined ? { name: '', value: '' } : What.parse(read)
  } catch (error) {
    if (error instanceof SealBroken) return { name: undocumented, value: undocumented }
    throw error
  }
}

/** Unknown names and values, last seen first, and the number of sightings dropped for lack of room. */
export async function readDrift(
  db: Kysely<Tables>,
  documents: Documents,
): Promise<{ drift: Drift[]; leftOut: number }> {
  const rows = await db.selectFrom('drift').selectAll().orderBy('last_at', 'desc').execute()
  const drift = rows.flatMap((row): Drift[] => {
    const kind = driftKinds.find((each) => each === row.kind)
    if (kind === undefined) return []
    const { first_at: firstAt, last_at: lastAt, seen, resource_id: resourceId } = row
    return [{ kind, ...readWhat(row, documents), firstAt, lastAt, seen, resourceId }]
  })
  drift.sort((one, other) => other.lastAt - one.lastAt || (one.name < other.name ? -1 : 1))
  return { drift, leftOut: rows.find(({ kind }) => kind === 'left_out')?.seen ?? 0 }
}

/** Deletes entries not seen since then; with `dryRun` only counts them. */
export async function purgeDrift(db: Kysely<Tables>, before: number, dryRun: boolean): Promise<number> {
  if (dryRun) {
    const old = await db.selectFrom('drift').select('last_at').where('last_at', '<', before).execute()
    return old.length
  }
  const { numDeletedRows } = await db.deleteFrom('drift').where('last_at', '<', before).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Reads of names and values unknown to the catalogue. */
export type DriftViews = ReturnType<typeof createDriftViews>

export function createDriftViews({ db, now, documents }: ViewCore) {
  return {
    /** Names and values unknown to the catalogue, last seen first, and the number of sightings dropped for lack of room. */
    drift: () => readDrift(db, documents),
    /** Number of entries first seen within the last `withinMs`. */
    async newDrift(withinMs: number): Promise<number> {
      const row = await db
        .selectFrom('drift')
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('first_at', '>=', (await now()) - withinMs)
        .where('kind', '<>', 'left_out')
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },
  }
}
