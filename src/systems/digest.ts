import { createHmac, hkdfSync } from 'node:crypto'

/** What stands for a text where the text itself must not: 32 hexadecimal digits, the same for the same text for as long as the ledger lives. Only with the ledger's key can a guess of the text be tried. */
export type Digest = (text: string) => string

/** Makes the digest under a ledger's key (`Ledger.digestKey`). */
export function createDigest(key: Uint8Array): Digest {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'pawl digest', 32))
  return (text) => createHmac('sha256', derived).update(text).digest('hex').slice(0, 32)
}
