import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { PawlError } from '@pawl/base/errors'
import type { ErrorBeforeHandlers } from '../hot/waiting-errors.ts'
import { describeContext, type SealContext } from './seal-context.ts'
import { createSignatures, type Signatures } from './signatures.ts'

/** A stored value was altered, is sealed with an unconfigured key, or is plain where it must be sealed. */
export class SealBroken extends PawlError {
  readonly code = 'seal_broken' satisfies ErrorBeforeHandlers
}

/** Seals and opens stored bytes, digests numbers for lookups, and signs. */
export interface Seal extends Signatures {
  seal(plain: Uint8Array, context: SealContext): Uint8Array
  /** Throws `SealBroken`, also for bytes sealed in another context, and for plain ones if there is a key. */
  open(stored: Uint8Array, context: SealContext): Uint8Array
  /** Whether `seal` would seal with the same key; without keys always true. */
  isUpToDate(stored: Uint8Array): boolean
  /** The id of the sealing key, the first eight digits of its SHA-256; `none` for plain bytes. */
  keyOf(stored: Uint8Array): string
  /** Digest of a text for lookups, under a key derived from the newest key; without keys, one that anyone can compute. */
  digest(text: string): string
  /** Digests under every key, and under none, so that one matches any stored digest. */
  digests(text: string): string[]
}

// Layout of sealed bytes: marker, key id, nonce, tag, ciphertext; the context is associated data. JSON never starts with the marker, which tells plain bodies apart.
const marker = 0x02
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
/** Digest length: long enough that two numbers never collide by accident. */
const digestBytes = 16

/**
 * Seals with AES-256-GCM under the first of `keys` (32 bytes each) and opens with any of them, so that keys can be rotated; without keys values stay plain.
 * With keys, plain values are refused: otherwise write access to the database would suffice to replace a sealed one. `acceptsPlain` opens them while a ledger is sealed for the first time.
 */
export function createSeal(keys: readonly Uint8Array[], { acceptsPlain = false } = {}): Seal {
  const known = keys.map((key) => ({ key, id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes) }))
  const newest = known[0]
  // A separate derived key: a digest must reveal nothing of the sealing key.
  const lookupKeys = [...keys, Buffer.alloc(0)].map((key) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'pawl lookup', 32))),
  )
  const digest = (key: KeyObject, text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, digestBytes).toString('base64url')
  return {
    ...createSignatures(keys),
    // Never empty: the last key is the empty one.
    digest: (text) => digest(lookupKeys[0] as KeyObject, text),
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

/** Whether bytes are sealed, with any key. */
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
