import type { Seal } from './seal.ts'

/** JSON documents as the ledger stores them: sealed bytes. */
export interface Documents {
  write(document: unknown): Uint8Array
  /** `undefined` where nothing is stored; throws `SealBroken`. */
  read(stored: Uint8Array | null): unknown
}

export function createDocuments(seal: Seal): Documents {
  return {
    write: (document) => seal.seal(Buffer.from(JSON.stringify(document))),
    read: (stored) => (stored === null ? undefined : JSON.parse(Buffer.from(seal.open(stored)).toString('utf8'))),
  }
}
