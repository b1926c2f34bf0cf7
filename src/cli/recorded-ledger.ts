import { randomBytes } from 'node:crypto'
import { PawlError } from '@pawl/base/errors'
import type { Memories } from '@pawl/ledger/hot/memory'
import { readNewestMemory } from '@pawl/ledger/hot/read-memories'
import { openToRead } from '@pawl/ledger/open-to-read'
import { readDigestKey } from '@pawl/ledger/sealing/digest-key'
import { createDocuments } from '@pawl/ledger/sealing/documents'
import { createSeal } from '@pawl/ledger/sealing/seal'
import { countResources, readRecorded, type RecordedResource } from '@pawl/ledger/views/recorded'
import { createDigest, type Digest } from '@pawl/connector/digest'

/** The ledger cannot be read. */
export class LedgerUnreadable extends PawlError {
  readonly code = 'ledger_unreadable'
}

export interface RecordedLedgerOptions {
  databaseUrl: string
  sealingKeys: readonly Uint8Array[]
  /** As in `LedgerSettings`. */
  acceptsPlain?: boolean | undefined
  /** Only resources read from the service since then, in milliseconds since 1970. */
  since?: number | undefined
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

/** A ledger that commands only read, also while pawl runs. */
export interface RecordedLedger {
  digest: Digest
  /** As in the ledger. Throws `LedgerUnreadable`. */
  newestMemory: Memories['newestMemory']
  /** All resources with the records of these handlers, a few at a time. Throws `LedgerUnreadable`. */
  steps(handlers: readonly string[]): AsyncGenerator<RecordedResource[]>
  close(): Promise<void>
}

/** Throws `LedgerUnreadable`. */
export async function openRecordedLedger(options: RecordedLedgerOptions): Promise<RecordedLedger> {
  const { since = 0, onProgress = () => {} } = options
  const seal = createSeal(options.sealingKeys, options)
  const documents = createDocuments(seal)
  const { db, close } = openLedger(options.databaseUrl)
  try {
    const total = await countResources(db)
    const digest = createDigest((await readDigestKey(db, seal)) ?? randomBytes(32))
    return {
      digest,
      newestMemory: (system, role) => readNewestMemory(db, { system, role }).catch(unreadable),
      async *steps(handlers) {
        let done = 0
        for (let cursor = ''; ;) {
          const step = await readRecorded(db, { cursor, handlers, documents }).catch(unreadable)
          const last = step.at(-1)
          if (last === undefined) return
          cursor = last.id
          yield step.filter(({ snapshotAt = 0 }) => snapshotAt >= since)
          done += step.length
          onProgress({ done, total })
        }
      },
      close,
    }
  } catch (error) {
    await close()
    return unreadable(error)
  }
}

function openLedger(databaseUrl: string) {
  try {
    return openToRead(databaseUrl)
  } catch (error) {
    return unreadable(error)
  }
}

function unreadable(cause: unknown): never {
  throw new LedgerUnreadable('The ledger of DATABASE_URL cannot be read: pawl doctor says why.', { cause })
}
