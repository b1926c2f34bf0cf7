import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSeal, SealBroken } from '../../src/ledger/seal.ts'

const plain = Buffer.from('{"a":1}')

describe('the seal of stored bodies', () => {
  it('opens what an older key sealed, and seals with the newest', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const before = createSeal([older]).seal(plain)
    const rotated = createSeal([newer, older])
    expect(Buffer.from(rotated.open(before))).toEqual(plain)
    expect(Buffer.from(createSeal([newer]).open(rotated.seal(plain)))).toEqual(plain)
  })

  it('opens plain bodies that were stored before a key was set', () => {
    expect(createSeal([randomBytes(32)]).open(createSeal([]).seal(plain))).toEqual(plain)
  })

  it('refuses a body whose key is gone, or that was altered', () => {
    const sealed = Buffer.from(createSeal([randomBytes(32)]).seal(plain))
    expect(() => createSeal([randomBytes(32)]).open(sealed)).toThrow(SealBroken)
    const key = randomBytes(32)
    const altered = Buffer.from(createSeal([key]).seal(plain))
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
    expect(() => createSeal([key]).open(altered)).toThrow(SealBroken)
  })
})
