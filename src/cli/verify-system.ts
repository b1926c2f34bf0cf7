import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError, retryOf } from '@pawl/base/errors'
import { openToRead } from '@pawl/ledger/open-to-read'
import { readDigestKey } from '@pawl/ledger/sealing/digest-key'
import { createSeal } from '@pawl/ledger/sealing/seal'
import {
  countResources,
  readRemembered,
  type RememberedResource,
  type RememberedRole,
} from '@pawl/ledger/views/remembered'
import { createDigest, type Digest } from '@pawl/connector/digest'
import type { Difference, System } from '@pawl/connector/system'

/** The ledger cannot be read. */
class LedgerUnreadable extends PawlError {
  readonly code = 'ledger_unreadable'
}

interface LedgerOptions {
  databaseUrl: string
  sealingKeys: readonly Uint8Array[]
  /** As in `LedgerSettings`. */
  acceptsPlain?: boolean | undefined
  /** Limits the check to resources read from the service since this time, in milliseconds since 1970. */
  since?: number | undefined
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

export interface VerifyOptions extends LedgerOptions {
  /** The name of the system, and the system. */
  name: string
  system: System<object>
  signal: AbortSignal
  onDifference: (difference: FoundDifference) => void
}

/** A difference in a record of a resource. */
export type FoundDifference = Difference & { resource: string }

export interface Verified {
  /** Records compared. */
  records: number
  resources: number
  /** Resources in progress, which are not compared. */
  inWork: number
}

/** Max records read at once. */
const atOnce = 4
/** Waits between the tries of a failed read, in milliseconds, unless the system states its own wait. */
const waitsMs = [1_000, 3_000, 9_000]

/** Compares a system with pawl's memory of it, without writing to either. Throws `LedgerUnreadable` and the system's errors. */
export async function verifySystem(options: VerifyOptions): Promise<Verified> {
  const { name, system, signal, onDifference } = options
  const verified: Verified = { records: 0, resources: 0, inWork: 0 }
  const ledger = await openLedger(options)

  async function verifyOne({ id }: RememberedResource, remembered: RememberedRole): Promise<void> {
    const run = { resourceId: id, digest: ledger.digest, signal }
    const found = await withPatience(() => system.verify?.(remembered, run) ?? Promise.resolve(undefined), signal)
    if (found === undefined) return
    verified.records += 1
    if (found !== 'same') onDifference({ resource: id, ...found })
  }

  try {
    for await (const step of ledger.steps()) {
      const free = step.filter(({ isClaimed }) => !isClaimed)
      verified.resources += free.length
      verified.inWork += step.length - free.length
      const left = free.flatMap((resource) =>
        resource.memory.filter((each) => each.system === name).map((each) => ({ resource, each })),
      )
      const verifyInTurn = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) await verifyOne(next.resource, next.each)
      }
      await Promise.all(Array.from({ length: atOnce }, verifyInTurn))
    }
    return verified
  } finally {
    await ledger.close()
  }
}

async function withPatience<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await ask()
    } catch (error) {
      const retry = retryOf(error)
      if (!(error instanceof PawlError) || retry === 'never') throw error
      await sleep(typeof retry === 'object' ? retry.afterMs : waitMs, undefined, { signal })
    }
  }
  return ask()
}

/** A read-only view of the ledger, also while pawl runs. */
interface Ledger {
  digest: Digest
  /** All resources, a few at a time. Throws `LedgerUnreadable`. */
  steps(): AsyncGenerator<RememberedResource[]>
  close(): Promise<void>
}

/** Throws `LedgerUnreadable`. */
async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { databaseUrl, sealingKeys, since = 0, onProgress = () => {} } = options
  const { db, close } = openDatabase(databaseUrl)
  try {
    const total = await countResources(db)
    const key = await readDigestKey(db, createSeal(sealingKeys, options))
    return {
      digest: createDigest(key ?? randomBytes(32)),
      async *steps() {
        let done = 0
        for (let cursor = ''; ;) {
          const step = await readRemembered(db, cursor).catch(unreadable)
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

function openDatabase(databaseUrl: string) {
  try {
    return openToRead(databaseUrl)
  } catch (error) {
    return unreadable(error)
  }
}

function unreadable(cause: unknown): never {
  throw new LedgerUnreadable('The ledger of DATABASE_URL cannot be read: pawl doctor says why.', { cause })
}
