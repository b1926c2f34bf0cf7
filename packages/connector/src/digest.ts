import { createHmac, hkdfSync } from 'node:crypto'

/** Replaces a text that must not appear itself: 32 hexadecimal digits, stable for the life of the ledger. Testing a guess of the text requires the ledger's key. */
export type Digest = (text: string) => string

/** Makes the digest under a ledger's key (`Ledger.digestKey`). */
export function createDigest(key: Uint8Array): Digest {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'pawl digest', 32))
  return (text) => createHmac('sha256', derived).update(text).digest('hex').slice(0, 32)
}
