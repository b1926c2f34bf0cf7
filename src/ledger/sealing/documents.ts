import type { SealContext } from './seal-context.ts'
import { type Seal, SealBroken } from './seal.ts'

/** A JSON document as the ledger gives it back: its text, or why its seal could not be opened. `readDocument` reads it. */
export type Document = { text: string } | { broken: string }

/** JSON documents as the ledger stores them: sealed bytes. */
export interface Documents {
  write(text: string, context: SealContext): Uint8Array
  /** `undefined` where nothing is stored. */
  read(stored: Uint8Array | null, context: SealContext): Document | undefined
}

/** Leaves out a byte order mark. */
const utf8 = new TextDecoder()

export function createDocuments(seal: Seal): Documents {
  return {
    write: (text, context) => seal.seal(Buffer.from(text), context),
    read(stored, context) {
      // What is empty was purged.
      if (stored === null || stored.length === 0) return undefined
      try {
        return { text: utf8.decode(seal.open(stored, context)) }
      } catch (error) {
        // Not thrown yet: what cannot be read must fail its handler, not the claim, which nobody could park.
        if (error instanceof SealBroken) return { broken: error.message }
        throw error
      }
    },
  }
}

/** What a document of the ledger holds; `undefined` of none. Throws `SealBroken`. */
export function readDocument(document: Document | undefined): unknown {
  if (document === undefined) return undefined
  if ('broken' in document) throw new SealBroken(document.broken)
  return JSON.parse(document.text)
}
