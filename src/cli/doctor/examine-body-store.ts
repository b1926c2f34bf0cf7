import { randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import { BodyStoreAway } from '../../ledger/bodies/body-store.ts'
import { openBodyStore } from '../../ledger/bodies/open-body-store.ts'
import { type MovedBody, readOldestMoved } from '../../ledger/bodies/moved-rows.ts'
import { openToRead } from '../../ledger/open-to-read.ts'
import { createSeal, SealBroken } from '../../ledger/seal.ts'
import { fail, type Finding, ok } from './finding.ts'

const area = 'bodies'
/** Of no event: pawl is younger. */
const day = '1970-01-01'

/** Puts a few random bytes into the store of bodies, reads, lists and deletes them, and looks whether the ledger's oldest body there can be read. */
export async function examineBodyStore({
  bodyStore,
  databaseUrl,
  sealingKeys,
}: Pick<Config, 'bodyStore' | 'databaseUrl' | 'sealingKeys'>): Promise<Finding[]> {
  const oldest = await readOldest(databaseUrl)
  if (bodyStore === undefined)
    return oldest === undefined
      ? []
      : [fail(area, 'Bodies of the ledger are in a store, and BODY_STORE is not set.', 'Set BODY_STORE as it was.')]
  try {
    const store = await openBodyStore(bodyStore)
    const [key, bytes] = [`${day}/0-${randomBytes(8).toString('hex')}`, randomBytes(32)]
    await store.put(key, bytes)
    const isRead = bytes.equals((await store.get(key)) ?? Buffer.alloc(0))
    const isListed = (await store.list(day)).keys.includes(key)
    await store.delete([key])
    const isDeleted = (await store.get(key)) === undefined
    if (!isRead || !isListed || !isDeleted)
      return [
        fail(
          area,
          `The store takes bodies, but does not ${isRead ? (isListed ? 'delete' : 'list') : 'give back'} them.`,
          'Let it read, write, list and delete under the prefix of BODY_STORE.',
        ),
      ]
    const fault = oldest && findFault(oldest, await store.get(oldest.key), sealingKeys)
    if (fault !== undefined) return [fault]
    return [ok(area, 'The store of bodies takes, gives back, lists and deletes.')]
  } catch (error) {
    if (!(error instanceof BodyStoreAway)) throw error
    return [fail(area, error.message, 'Correct BODY_STORE and its credentials, or let this machine reach it.')]
  }
}

function findFault(
  { key, place }: MovedBody,
  stored: Uint8Array | undefined,
  keys: Config['sealingKeys'],
): Finding | undefined {
  if (stored === undefined)
    return fail(
      area,
      `The store has no ${key}, which the ledger moved there.`,
      'Set BODY_STORE to where bodies were moved, or restore them; "pawl ledger check" names each that is missing.',
    )
  try {
    createSeal(keys).open(stored, place)
    return undefined
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    return fail(
      area,
      'Bodies in the store cannot be opened: their key is not in SEALING_KEYS, or they were altered.',
      'Add that key behind the others; "pawl ledger check" names each that cannot be opened.',
    )
  }
}

/** The oldest body that was moved; `undefined` also where the ledger cannot be read, which is found elsewhere. */
async function readOldest(databaseUrl: string): Promise<MovedBody | undefined> {
  try {
    const { db, close } = openToRead(databaseUrl)
    try {
      return await readOldestMoved(db)
    } finally {
      await close()
    }
  } catch {
    return undefined
  }
}
