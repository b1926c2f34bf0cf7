import { randomBytes } from 'node:crypto'
import { PawlError } from '@pawl/base/errors'
import { isDisorder, type Standing } from '@pawl/base/system-notes'
import { createDigest, type Digest } from '@pawl/connector/digest'
import type { FoundRecord } from '@pawl/connector/system'
import { openToRead } from '@pawl/ledger/open-to-read'
import { readDigestKey } from '@pawl/ledger/sealing/digest-key'
import { createSeal } from '@pawl/ledger/sealing/seal'
import {
  countResources,
  readRemembered,
  readRememberedOne,
  type RememberedResource,
} from '@pawl/ledger/views/remembered'
import { readBack, resourcesSince, type Verifiable } from '../work/verify/read-back.ts'

/** The ledger cannot be read. */
class LedgerUnreadable extends PawlError {
  readonly code = 'ledger_unreadable'
}

interface LedgerOptions {
  databaseUrl: string
  sealingKeys: readonly Uint8Array[]
  /** As in `LedgerSettings`. */
  acceptsPlain?: boolean | undefined
}

export interface VerifyOptions extends LedgerOptions, Verifiable {
  /** Limits the check to resources read from the service since this time, in milliseconds since 1970. */
  since?: number | undefined
  signal: AbortSignal
  onProgress: (progress: { done: number; total: number }) => void
  /** Called for each record that is not as pawl wrote it. */
  onDifference: (difference: FoundDifference) => void
}

/** A record of a resource that is not as pawl wrote it. */
export type FoundDifference = FoundRecord & { resource: string }

export interface Verified {
  /** Records read. */
  records: number
  resources: number
  /** Resources in progress, which are not compared. */
  inWork: number
  /** Types that the system cannot be searched for. */
  unsearched: string[]
  counts: Record<Exclude<Standing, 'same'>, number>
  /** Whether nothing is in disorder. */
  isInOrder: boolean
}

/** Max resources read at once. */
const atOnce = 4

/** Compares a system with pawl's memory of it, without writing to either. Throws `LedgerUnreadable` and the system's errors. */
export async function verifySystem(options: VerifyOptions): Promise<Verified> {
  const { since = 0, onProgress, onDifference } = options
  const ledger = await openLedger(options)
  const counts = { elsewhere: 0, missing: 0, changed: 0, twice: 0, orphaned: 0, unreadable: 0 }
  const verified = { records: 0, resources: 0, inWork: 0 }
  const unsearched = new Set<string>()

  async function verifyOne(resource: RememberedResource): Promise<void> {
    const found = await readBack(resource, { ...options, ...ledger })
    if (found === 'in_work') {
      verified.inWork += 1
      return
    }
    verified.resources += 1
    verified.records += found.records.length
    for (const type of found.unsearched) unsearched.add(type)
    for (const record of found.records) {
      if (record.is === 'same') continue
      counts[record.is] += 1
      onDifference({ resource: resource.id, ...record })
    }
  }

  try {
    let done = 0
    for await (const { resources, passed } of resourcesSince(ledger.readAfter, since)) {
      const left = [...resources]
      const verifyInTurn = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) await verifyOne(next)
      }
      await Promise.all(Array.from({ length: atOnce }, verifyInTurn))
      done += passed
      onProgress({ done, total: ledger.total })
    }
    const isInOrder = Object.entries(counts).every(([is, count]) => count === 0 || !isDisorder(is as Standing))
    return { ...verified, unsearched: [...unsearched], counts, isInOrder }
  } finally {
    await ledger.close()
  }
}

/** A read-only view of the ledger, also while pawl runs. */
interface Ledger {
  digest: Digest
  total: number
  /** Throw `LedgerUnreadable`. */
  readAfter(this: void, cursor: string): Promise<RememberedResource[]>
  readAgain(this: void, id: string): Promise<RememberedResource | undefined>
  close(this: void): Promise<void>
}

/** Throws `LedgerUnreadable`. */
async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { databaseUrl, sealingKeys } = options
  const { db, close } = openDatabase(databaseUrl)
  try {
    const total = await countResources(db)
    const key = await readDigestKey(db, createSeal(sealingKeys, options))
    return {
      digest: createDigest(key ?? randomBytes(32)),
      total,
      readAfter: (cursor) => readRemembered(db, cursor).catch(unreadable),
      readAgain: (id) => readRememberedOne(db, id).catch(unreadable),
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
