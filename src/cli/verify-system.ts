import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError, retryOf } from '@pawl/base/errors'
import type { RecordedMemory, RecordedResource } from '@pawl/ledger/views/recorded'
import type { Difference, System } from '@pawl/connector/system'
import { openRecordedLedger, type RecordedLedgerOptions } from './recorded-ledger.ts'

export interface VerifyOptions extends RecordedLedgerOptions {
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
  /** Resources in work, which are not compared. */
  inWork: number
}

/** Max records read at once. */
const atOnce = 4
/** Waits before a failed read is tried again, in milliseconds; a system that says how long to wait is obeyed. */
const waitsMs = [1_000, 3_000, 9_000]

/** Compares a system with all that is remembered of it, reading both only. Throws `LedgerUnreadable` and the system's errors. */
export async function verifySystem(options: VerifyOptions): Promise<Verified> {
  const { name, system, signal, onDifference } = options
  const verified: Verified = { records: 0, resources: 0, inWork: 0 }
  const ledger = await openRecordedLedger(options)

  async function verifyOne({ id }: RecordedResource, remembered: RecordedMemory): Promise<void> {
    const run = { resourceId: id, digest: ledger.digest, signal }
    const found = await withPatience(() => system.verify?.(remembered, run) ?? Promise.resolve(undefined), signal)
    if (found === undefined) return
    verified.records += 1
    if (found !== 'same') onDifference({ resource: id, ...found })
  }

  try {
    for await (const step of ledger.steps([])) {
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
