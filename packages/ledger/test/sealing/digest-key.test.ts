import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { createDigest } from '../../../connector/src/digest.ts'
import { act } from '../../../../test/support/act.ts'
import { describeOnEachStorage } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]

function describeDigests(open: () => Promise<Storage>) {
  let storage: Storage
  beforeEach(async () => {
    storage = await open()
  })
  afterEach(() => storage.db.destroy())

  const withKeys = (keys: Uint8Array[], acceptsPlain = false) =>
    createLedger({ storage, seal: createSeal(keys, { acceptsPlain }) })
  const digestOf = async (...of: Parameters<typeof withKeys>) =>
    createDigest(await withKeys(...of).digestKey())('M-4711')
  const delivery = aDelivery({ body: '{"a":1}' })

  it('are the same in every process and after key rotation, and differ in another ledger', async () => {
    const [first, second] = await Promise.all([digestOf([older]), digestOf([older])])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(await digestOf([newer, older])).toBe(first)
    expect(await digestOf([newer])).toBe(first)
    const other = await open()
    const elsewhere = createLedger({ storage: other, seal: createSeal([older]) })
    expect(createDigest(await elsewhere.digestKey())('M-4711')).not.toBe(first)
    await elsewhere.close()
  })

  it('stay the same when sealing begins, which seals their key', async () => {
    const unsealed = await digestOf([])
    await expect(withKeys([older]).digestKey()).rejects.toMatchObject({ code: 'seal_broken' })
    expect(await digestOf([older], true)).toBe(unsealed)
    await expect(withKeys([]).digestKey()).rejects.toMatchObject({ code: 'seal_broken' })
  })

  it('have a key that never looks sealed in a plain ledger', async () => {
    await digestOf([])
    const { stored } = await storage.db.selectFrom('digest_key').select('stored').executeTakeFirstOrThrow()
    // One in 256 random keys would begin as sealed bytes do.
    expect(Buffer.from(stored).toString()).toMatch(/^[0-9a-f]{64}$/)
  })

  it('are refused, not recreated, if the sealing key of their key is not listed', async () => {
    await digestOf([older])
    await expect(withKeys([newer]).digestKey()).rejects.toMatchObject({ code: 'seal_broken' })
    await expect(withKeys([newer]).accept(delivery)).rejects.toMatchObject({ code: 'seal_broken' })
  })

  it('have a key that rotation counts and reseals', async () => {
    const ledger = withKeys([older])
    await ledger.digestKey()
    const rotated = withKeys([newer, older])
    const dry = await rotated.reseal({ cursor: undefined, dryRun: true }, act)
    expect(dry).toMatchObject({ keys: { [createSeal([older]).keyOf(await stored())]: 1 }, resealed: 1 })
    await rotated.reseal({ cursor: undefined, dryRun: false }, act)
    expect(createSeal([newer]).isUpToDate(await stored())).toBe(true)
    await digestOf([newer])
  })

  it('recognise a copy of a delivery after a rotation, and reveal no body without the key', async () => {
    const { eventId } = await withKeys([older]).accept(delivery)
    const rotated = withKeys([newer, older])
    await rotated.reseal({ cursor: undefined, dryRun: false }, act)
    expect(await withKeys([newer]).accept(delivery)).toMatchObject({ eventId, duplicate: true })
    const { rows } = await sql<{ fingerprint: Uint8Array }>`select fingerprint from events`.execute(storage.db)
    const plain = createHash('sha256').update(delivery.body).digest()
    expect(rows.map(({ fingerprint }) => plain.equals(fingerprint))).toEqual([false])
  })

  async function stored(): Promise<Uint8Array> {
    const { rows } = await sql<{ stored: Uint8Array }>`select stored from digest_key`.execute(storage.db)
    return rows[0]?.stored ?? new Uint8Array()
  }
}

describeOnEachStorage('the digests of a ledger', describeDigests)
