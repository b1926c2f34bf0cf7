import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { PawlError } from '../../base/errors.ts'
import { describeContext, type SealContext } from './seal-context.ts'
import { createSignatures, type Signatures } from './signatures.ts'

/** A stored value was sealed with a key that is not configured, was altered, or is plain where it must be sealed. */
export class SealBroken extends PawlError {
  readonly code = 'seal_broken'
}

/** Turns bodies into what is stored, and back; numbers into what they are found by; and signs. */
export interface Seal extends Signatures {
  seal(plain: Uint8Array, context: SealContext): Uint8Array
  /** Throws `SealBroken`, also of bytes that were sealed for another place, and of plain ones where there is a key. */
  open(stored: Uint8Array, context: SealContext): Uint8Array
  /** Whether bytes are stored as `seal` would store them now; without keys there is nothing to do about any. */
  isUpToDate(stored: Uint8Array): boolean
  /** The id of the key that bytes were sealed with, the first eight digits of its SHA-256; `none` of plain ones. */
  keyOf(stored: Uint8Array): string
  /** What a text is found by, without being read from it: a digest under a key derived from the newest key; without keys, one that anybody can compute. */
  digest(text: string): string
  /** The same under every key, and under none: whatever it was stored under is among them. */
  digests(text: string): string[]
}

// Layout of sealed bytes: marker, key id, nonce, tag, ciphertext; the place is associated data. JSON never starts with the marker, so plain bodies are told apart.
const marker = 0x02
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
/** Of a digest: no two numbers share so much by accident. */
const digestBytes = 16

/**
 * Seals with AES-256-GCM under the first of `keys` (32 bytes each) and opens with any of them, so that keys can be rotated; without keys values stay plain.
 * With keys, plain values are refused: write access to the database would otherwise be enough to replace a sealed one. `acceptsPlain` opens them while a ledger is sealed for the first time.
 */
export function createSeal(keys: readonly Uint8Array[], { acceptsPlain = false } = {}): Seal {
  const known = keys.map((key) => ({ key, id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes) }))
  const newest = known[0]
  // A key of its own: a digest must say nothing of what the seal's key does elsewhere.
  const lookupKeys = [...keys, Buffer.alloc(0)].map((key) =>
    Buffer.from(hkdfSync('sha256', key, '', 'pawl lookup', 32)),
  )
  const digest = (key: Uint8Array, text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, digestBytes).toString('base64url')
  return {
    ...createSignatures(keys),
    // There is at least the one of no key.
    digest: (text) => digest(lookupKeys[0] as Uint8Array, text),
    digests: (text) => lookupKeys.map((key) => digest(key, text)),
    seal(plain, context) {
      if (newest === undefined) return plain
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(context))
      const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Uint8Array.of(marker), newest.id, nonce, cipher.getAuthTag(), ciphertext])
    },
    open(stored, context) {
      if (!isSealed(stored)) {
        if (newest === undefined || acceptsPlain) return stored
        throw new SealBroken(
          `${describeContext(context)} is not sealed, though SEALING_KEYS is set. If it was stored before there was a key, set SEALING=turning_on, restart and run pawl keys rotate; otherwise the database was altered (docs/security.md#sealed-values).`,
        )
      }
      const parts = splitSealed(Buffer.from(stored))
      const entry = known.find(({ id }) => id.equals(parts.keyId))
      if (entry === undefined) {
        throw new SealBroken(
          `${describeContext(context)} was sealed with a key that SEALING_KEYS no longer lists: add that key again.`,
        )
      }
      try {
        const decipher = createDecipheriv('aes-256-gcm', entry.key, parts.nonce).setAAD(Buffer.from(context))
        decipher.setAuthTag(parts.tag)
        return Buffer.concat([decipher.update(parts.ciphertext), decipher.final()])
      } catch {
        throw new SealBroken(
          `${describeContext(context)} does not match its seal: the database was altered or damaged (docs/security.md#sealed-values).`,
        )
      }
    },
    isUpToDate: (stored) => newest === undefined || (isSealed(stored) && newest.id.equals(keyIdOf(stored))),
    keyOf: (stored) => (isSealed(stored) ? keyIdOf(stored).toString('hex') : 'none'),
  }
}

/** Whether bytes are sealed, by whatever key. */
export function isSealed(stored: Uint8Array): boolean {
  return stored[0] === marker
}

function keyIdOf(sealed: Uint8Array): Buffer {
  return splitSealed(Buffer.from(sealed.subarray(0, 1 + keyIdBytes))).keyId
}

function splitSealed(sealed: Buffer) {
  const nonceAt = 1 + keyIdBytes
  const tagAt = nonceAt + nonceBytes
  const ciphertextAt = tagAt + tagBytes
  return {
    keyId: sealed.subarray(1, nonceAt),
    nonce: sealed.subarray(nonceAt, tagAt),
    tag: sealed.subarray(tagAt, ciphertextAt),
    ciphertext: sealed.subarray(ciphertextAt),
  }
}
