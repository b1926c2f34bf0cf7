import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { bindTrail, isOwnTrail } from '../audit/audit.ts'
import type { GroupCommit } from '../hot/group-commit.ts'
import { sealContext } from './seal-context.ts'
import { type Seal, SealBroken } from './seal.ts'
import type { Tables } from '../tables.ts'
import type { ResealStep } from './reseal.ts'

export type Fingerprint = (body: Uint8Array) => Buffer

/** The key of this ledger's digests: 32 random bytes as hexadecimal text, since plain bytes must never start like sealed ones. Created with the ledger, stored sealed, and kept through sealing key rotation, so that digests stored elsewhere still match. */
export interface DigestKey {
  /** Creates the key if missing, and seals it with the newest sealing key. Throws `SealBroken` if its sealing key is not listed. */
  read(this: void): Promise<Uint8Array>
  /** Fingerprints deliveries, to recognise copies; `undefined` before the key was read. */
  fingerprint(this: void): Fingerprint | undefined
  /** The fingerprint function, reading the key first if needed. */
  readFingerprint(this: void): Promise<Fingerprint>
  /** Seals the key with the newest sealing key unless it is already; resolves with the counts. */
  reseal(this: void, dryRun: boolean): Promise<Pick<ResealStep, 'keys' | 'resealed' | 'unreadable'>>
}

export interface DigestKeyDeps {
  db: Kysely<Tables>
  commits: Pick<GroupCommit, 'write'>
  seal: Seal
}

export function createDigestKey({ db, commits, seal }: DigestKeyDeps): DigestKey {
  let reading: Promise<Uint8Array> | undefined
  let fingerprint: Fingerprint | undefined

  async function prepare(): Promise<Uint8Array> {
    const stored = await readStored(db)
    if (stored !== undefined && seal.isUpToDate(stored)) return openKey(stored, seal)
    return commits.write(async (trx) => {
      const fresh = Buffer.from(randomBytes(32).toString('hex'))
      const { numInsertedOrUpdatedRows: made } = await trx
        .insertInto('digest_key')
        .values({ name: 'digest', stored: seal.seal(fresh, sealContext.digestKey()), bound: null })
        // Another process may have been faster.
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (made === 1n) {
        await bindTrail(trx, seal)
        return fresh
      }
      const there = (await readStored(trx)) ?? fresh
      const key = openKey(there, seal)
      if (!seal.isUpToDate(there)) await store(trx, key)
      return key
    })
  }

  /** Seals the key with the newest sealing key. If bound to another trail it stays so: the next entry records that. */
  async function store(trx: Transaction<Tables>, key: Uint8Array): Promise<void> {
    const isOwn = await isOwnTrail(trx, seal)
    await trx
      .updateTable('digest_key')
      .set({ stored: seal.seal(key, sealContext.digestKey()) })
      .execute()
    if (isOwn) await bindTrail(trx, seal)
  }

  async function read(): Promise<Uint8Array> {
    reading ??= prepare()
    try {
      return await reading
    } catch (error) {
      reading = undefined
      throw error
    }
  }

  return {
    read,
    fingerprint: () => fingerprint,
    readFingerprint: async () => (fingerprint ??= createFingerprint(await read())),
    async reseal(dryRun) {
      const stored = await readStored(db)
      if (stored === undefined || seal.isUpToDate(stored)) return { keys: {}, resealed: 0, unreadable: 0 }
      const keys = { [seal.keyOf(stored)]: 1 }
      try {
        seal.open(stored, sealContext.digestKey())
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error
        return { keys, resealed: 0, unreadable: 1 }
      }
      if (!dryRun) await prepare()
      return { keys, resealed: 1, unreadable: 0 }
    },
  }
}

/** The key, for a ledger open read-only; undefined if it has none yet. */
export async function readDigestKey(db: Kysely<Tables>, seal: Seal): Promise<Uint8Array | undefined> {
  const stored = await readStored(db)
  return stored && openKey(stored, seal)
}

function openKey(stored: Uint8Array, seal: Seal): Uint8Array {
  return seal.open(stored, sealContext.digestKey())
}

async function readStored(db: Kysely<Tables>): Promise<Uint8Array | undefined> {
  return (await db.selectFrom('digest_key').select('stored').executeTakeFirst())?.stored
}

/** Fingerprints a body, to recognise copies: without the key, guesses of its content cannot be tested. */
export function createFingerprint(key: Uint8Array): Fingerprint {
  const derived = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'pawl fingerprint', 32)))
  return (body) => createHmac('sha256', derived).update(body).digest()
}
