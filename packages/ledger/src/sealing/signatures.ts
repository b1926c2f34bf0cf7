import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Result of checking a signature; `unknown_key`: its key is not listed here. */
export type SignatureVerdict = 'right' | 'wrong' | 'unknown_key'

/** Signs texts, so that write access to the database does not suffice to forge them. */
export interface Signatures {
  /** Signs with the newest key and prefixes its id; `undefined` without keys. */
  sign(text: string): string | undefined
  check(text: string, signature: string): SignatureVerdict
}

/** Signs with keys derived from `keys` (32 bytes each, newest first), and checks with any of them. */
export function createSignatures(keys: readonly Uint8Array[]): Signatures {
  const known = keys.map((key) => ({
    // The same id as in sealed bytes.
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
