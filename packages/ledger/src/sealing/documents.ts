import type { SealContext } from './seal-context.ts'
import { type Seal, SealBroken } from './seal.ts'

/** A JSON document read from the ledger: its text, or why its seal could not be opened. `readDocument` reads it. */
export type Document = { text: string } | { broken: string }

/** Seals JSON documents for storage, and opens them. */
export interface Documents {
  write(text: string, context: SealContext): Uint8Array
  /** `undefined` if nothing is stored. */
  read(stored: Uint8Array | null, context: SealContext): Document | undefined
}

/** Drops a byte order mark. */
const utf8 = new TextDecoder()

export function createDocuments(seal: Seal): Documents {
  return {
    write: (text, context) => seal.seal(Buffer.from(text), context),
    read(stored, context) {
      // An empty value was purged.
      if (stored === null || stored.length === 0) return undefined
      try {
        return { text: utf8.decode(seal.open(stored, context)) }
      } catch (error) {
        // Not thrown yet: an unreadable document must fail its handler, which can be parked, not the claim.
        if (error instanceof SealBroken) return { broken: error.message }
        throw error
      }
    },
  }
}

const parsed = new WeakMap<Document, unknown>()

/** The parsed document; `undefined` if there is none. Each document is parsed once and cached, so do not change the result. Throws `SealBroken`. */
export function readDocument(document: Document | undefined): unknown {
  if (document === undefined) return undefined
  if ('broken' in document) throw new SealBroken(document.broken)
  if (!parsed.has(document)) parsed.set(document, JSON.parse(document.text))
  return parsed.get(document)
}
