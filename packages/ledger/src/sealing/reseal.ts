import type { Transaction } from 'kysely'
import { readIdentity } from '../hot/snapshot-identity.ts'
import { saveLookups } from '../projections/lookups.ts'
import type { Documents } from './documents.ts'
import { sealContext } from './seal-context.ts'
import { type Seal, SealBroken } from './seal.ts'
import { readSealedPart, type SealedValue } from './sealed-values.ts'
import type { Tables } from '../tables.ts'
import type { Part } from '../upkeep/read-part.ts'

/** Result of one step of resealing. */
export interface ResealStep {
  /** Number of resources read. */
  looked: number
  /** Count of sealed values by key id before the step: the first eight digits of the key's SHA-256, or `none`. */
  keys: Record<string, number>
  /** Values resealed with the newest key; in a dry run, values still to reseal. */
  resealed: number
  /** Values that no listed key opens, or refused plain ones. */
  unreadable: number
  /** Cursor of the next part; absent at the end. */
  cursor: string | undefined
}

interface Deps {
  seal: Seal
  documents: Documents
  /** Only counts. */
  dryRun: boolean
}

/** Reseals values not sealed with the newest key, and renews these resources' lookups. */
export async function resealPart(trx: Transaction<Tables>, part: Part, deps: Deps): Promise<ResealStep> {
  const ids = part.resources.map(({ id }) => id)
  const values = await readSealedPart(trx, part)
  const step: ResealStep = { looked: ids.length, keys: {}, resealed: 0, unreadable: 0, cursor: part.cursor }
  for (const value of values) {
    const key = deps.seal.keyOf(value.stored)
    step.keys[key] = (step.keys[key] ?? 0) + 1
    const plain = deps.seal.isUpToDate(value.stored) ? undefined : openValue(value, deps.seal)
    if (plain === 'unreadable') step.unreadable += 1
    else if (plain !== undefined) {
      step.resealed += 1
      if (!deps.dryRun) await value.replace(deps.seal.seal(plain, value.context))
    }
  }
  if (!deps.dryRun) await renewLookups(trx, ids, deps)
  return step
}

function openValue({ stored, context }: SealedValue, seal: Seal): Uint8Array | 'unreadable' {
  try {
    return seal.open(stored, context)
  } catch (error) {
    // Its key is gone, or it was altered: it stays as it is, and is counted.
    if (error instanceof SealBroken) return 'unreadable'
    throw error
  }
}

/** Lookups are digests under a key: recomputed from the stored numbers. */
async function renewLookups(trx: Transaction<Tables>, ids: readonly string[], { seal, documents }: Deps) {
  if (ids.length === 0) return
  const rows = await trx
    .selectFrom('resources')
    .innerJoin('states', 'resource', 'number')
    .select(['number', 'id', 'identity'])
    .where('id', 'in', ids)
    .execute()
  const findable = rows.flatMap(({ number: resource, id, identity }) => {
    const document = documents.read(identity, sealContext.identity(id))
    if (document === undefined || 'broken' in document) return []
    return { resource, identifiers: readIdentity(document.text).identifiers }
  })
  await saveLookups(trx, findable, seal)
}
