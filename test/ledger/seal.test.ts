import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../src/ledger/place.ts'
import { createSeal, SealBroken } from '../../src/ledger/seal.ts'

const plain = Buffer.from('{"a":1}')
const here = placeOf.snapshot('pa_1')

describe('the seal of stored bodies', () => {
  it('opens what an older key sealed, and seals with the newest', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const before = createSeal([older]).seal(plain, here)
    const rotated = createSeal([newer, older])
    expect(Buffer.from(rotated.open(before, here))).toEqual(plain)
    expect(Buffer.from(createSeal([newer]).open(rotated.seal(plain, here), here))).toEqual(plain)
  })

  it('opens plain bodies that were stored before a key was set', () => {
    expect(createSeal([randomBytes(32)]).open(createSeal([]).seal(plain, here), here)).toEqual(plain)
  })

  it('refuses a body whose key is gone, or that was altered', () => {
    const sealed = Buffer.from(createSeal([randomBytes(32)]).seal(plain, here))
    expect(() => createSeal([randomBytes(32)]).open(sealed, here)).toThrow(SealBroken)
    const key = randomBytes(32)
    const altered = Buffer.from(createSeal([key]).seal(plain, here))
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
    expect(() => createSeal([key]).open(altered, here)).toThrow(SealBroken)
  })

  it.each([
    ['another row', placeOf.snapshot('pa_2')],
    ['another column', placeOf.tried('pa_1', 'chart')],
    ['a row whose id joins up to the same text', placeOf.effect('pa_1', '', '')],
  ])('does not open what was moved to %s', (_, place) => {
    const seal = createSeal([randomBytes(32)])
    expect(() => seal.open(seal.seal(plain, here), place)).toThrow(SealBroken)
  })

  it('opens what a release before sealed without its place, and says that it is not up to date', () => {
    const key = randomBytes(32)
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const text = Buffer.concat([cipher.update(plain), cipher.final()])
    const id = createHash('sha256').update(key).digest().subarray(0, 4)
    const before = Buffer.concat([Uint8Array.of(1), id, nonce, cipher.getAuthTag(), text])
    const seal = createSeal([key])
    expect(Buffer.from(seal.open(before, here))).toEqual(plain)
    expect(seal.isUpToDate(before)).toBe(false)
    expect(seal.keyOf(before)).toBe(id.toString('hex'))
    expect(seal.isUpToDate(seal.seal(plain, here))).toBe(true)
    expect(seal.isUpToDate(plain)).toBe(false)
  })
})
