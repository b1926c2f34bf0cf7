import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sealContext } from '../../src/sealing/seal-context.ts'
import { createSeal, SealBroken } from '../../src/sealing/seal.ts'

const plain = Buffer.from('{"a":1}')
const here = sealContext.snapshot('pa_1')

describe('the seal of stored bodies', () => {
  it('opens values of an older key, and seals with the newest', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const before = createSeal([older]).seal(plain, here)
    const rotated = createSeal([newer, older])
    expect(Buffer.from(rotated.open(before, here))).toEqual(plain)
    expect(Buffer.from(createSeal([newer]).open(rotated.seal(plain, here), here))).toEqual(plain)
  })

  it('refuses plain values once there is a key, naming table and row, unless sealing is being turned on', () => {
    const keys = [randomBytes(32)]
    const open = (place: typeof here, acceptsPlain = false) => createSeal(keys, { acceptsPlain }).open(plain, place)
    expect(() => open(here)).toThrow(SealBroken)
    for (const [place, where] of [
      [here, 'states.snapshot of pa_1'],
      [sealContext.body('pa_1', Buffer.alloc(32, 0xab)), 'events.body of pa_1 (fingerprint abababab)'],
      [sealContext.body('', Buffer.alloc(32, 0xab)), 'events.body of an event of no resource (fingerprint abababab)'],
      [sealContext.effect('pa_1', 'chart', 'key'), 'effects.value of pa_1 (chart)'],
      [sealContext.groups('prior_authorization', 7), 'outcomes.groups of the prior_authorization first heard of at 7'],
    ] as const)
      expect(() => open(place)).toThrow(`${where} is not sealed, though SEALING_KEYS is set.`)
    expect(open(here, true)).toEqual(plain)
    expect(createSeal([]).open(plain, here)).toEqual(plain)
  })

  it('names the value whose key is missing', () => {
    const sealed = createSeal([randomBytes(32)]).seal(plain, here)
    const missing = 'states.snapshot of pa_1 was sealed with a key that SEALING_KEYS no longer'
    expect(() => createSeal([randomBytes(32)]).open(sealed, here)).toThrow(missing)
    expect(() => createSeal([]).open(sealed, here)).toThrow(missing)
  })

  it('refuses a body whose key is missing, or that was altered', () => {
    const sealed = Buffer.from(createSeal([randomBytes(32)]).seal(plain, here))
    expect(() => createSeal([randomBytes(32)]).open(sealed, here)).toThrow(SealBroken)
    const key = randomBytes(32)
    const altered = Buffer.from(createSeal([key]).seal(plain, here))
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
    expect(() => createSeal([key]).open(altered, here)).toThrow(SealBroken)
  })

  it.each([
    ['another row', sealContext.snapshot('pa_2')],
    ['another column', sealContext.effect('pa_1', 'chart', 'key')],
    ['the report', sealContext.groups('prior_authorization', 1)],
    ['a row whose id joins up to the same text', sealContext.effect('pa_1', '', '')],
  ])('opens no value that was moved to %s', (_, place) => {
    const seal = createSeal([randomBytes(32)])
    expect(() => seal.open(seal.seal(plain, here), place)).toThrow(SealBroken)
  })

  it('opens no value that was sealed without a context', () => {
    const key = randomBytes(32)
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const text = Buffer.concat([cipher.update(plain), cipher.final()])
    const id = createHash('sha256').update(key).digest().subarray(0, 4)
    const seal = createSeal([key])
    for (const marker of [1, 2]) {
      const placeless = Buffer.concat([Uint8Array.of(marker), id, nonce, cipher.getAuthTag(), text])
      expect(() => seal.open(placeless, here)).toThrow(SealBroken)
    }
  })

  it('reports whether a value would now be sealed differently', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const seal = createSeal([newer, older])
    expect(seal.isUpToDate(seal.seal(plain, here))).toBe(true)
    expect(seal.isUpToDate(createSeal([older]).seal(plain, here))).toBe(false)
    expect(seal.isUpToDate(plain)).toBe(false)
  })
})
