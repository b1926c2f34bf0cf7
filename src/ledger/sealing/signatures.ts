import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** What a signature is worth: `unknown_key` cannot be checked here. */
export type SignatureVerdict = 'right' | 'wrong' | 'unknown_key'

/** Signs what whoever can write to the database must not be able to forge. */
export interface Signatures {
  /** Under the newest key, which it names; `undefined` without keys. */
  sign(text: string): string | undefined
  check(text: string, signature: string): SignatureVerdict
}

/** Signs with keys derived from `keys` (32 bytes each, the newest first), and checks with any of them. */
export function createSignatures(keys: readonly Uint8Array[]): Signatures {
  const known = keys.map((key) => ({
    // As sealed bytes name their key.
    id: createHash('sha256').update(key).digest('hex').slice(0, 8),
    key: Buffer.from(hkdfSync('sha256', key, '', 'pawl audit', 32)),
  }))
  const signWith = ({ id, key }: (typeof known)[number], text: string) =>
    `${id}:${createHmac('sha256', key).update(text).digest('base64url')}`
  return {
    sign: (text) => (known[0] === undefined ? undefined : signWith(known[0], text)),
    check(text, signature) {
      const entry = known.find(({ id }) => signature.startsWith(`${id}:`))
      if (entry === undefined) return 'unknown_key'
      const [right, given] = [Buffer.from(signWith(entry, text)), Buffer.from(signature)]
      return right.length === given.length && timingSafeEqual(right, given) ? 'right' : 'wrong'
    },
  }
}
