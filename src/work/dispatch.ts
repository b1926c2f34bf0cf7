import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClaimLost } from '../ledger/claims.ts'
import type { Claim } from '../ledger/ledger.ts'
import { type CatchUpDeps, createCatchUp } from './catch-up.ts'
import { keepLease } from './lease.ts'
import { createJournal } from './journal.ts'
import { namesByKind } from './backlog.ts'
import { Stopping } from './stopping.ts'

export interface DispatchDeps extends CatchUpDeps {
  /** How long a claim lasts unless renewed, in milliseconds: how long a killed process keeps others waiting. */
  leaseMs: number
  /** How long a resource rests after a run, in milliseconds: what arrives meanwhile shares the next run. */
  restMs: number
  /** Told when a resource may come due. */
  wakeIn: (delayMs: number) => void
}

export interface Dispatch {
  /** Works on one resource if it is due and free; never rejects. */
  work(this: void, resourceId: string): Promise<void>
  /** Cuts short what is in work and gives it back. */
  stop(): void
}

/** Brings every handler of a rung resource into step with what the API says now (docs/design.md). */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const { ledger, log, leaseMs, restMs } = deps
  const catchUp = createCatchUp(deps)
  const handlerNames = namesByKind(deps.handlers)
  const stopping = new AbortController()
  // Every lease listens.
  setMaxListeners(Infinity, stopping.signal)
  let isSuspectInWork = false

  /** Holds the resource while its handlers run; resolves with the milliseconds until it is due again. */
  async function workClaimed(claim: Claim, claimedAt: number): Promise<number | undefined> {
    const lease = keepLease(claim, { ledger, leaseMs, claimedAt, stopping: stopping.signal })
    const journal = createJournal(claim, ledger)
    try {
      const dueInMs = await catchUp(claim, journal, lease)
      return await journal.release({ dueInMs, restMs })
    } catch (error) {
      if (!(error instanceof ClaimLost)) throw error
      log.warn({ resource_id: claim.resourceId, error }, 'claim lost')
      return undefined
    } finally {
      lease.end()
    }
  }

  /** The last claim on it was never given back: it may be what ended its process. Only one of those is in work at a time, so that it takes no others along once more. */
  async function workSuspect(claim: Claim, claimedAt: number): Promise<number | undefined> {
    if (isSuspectInWork) {
      const dueInMs = Math.ceil(deps.random() * pauseMs)
      return ledger.release(claim, { notes: [], dueInMs, restMs: 0, claimsLost: claim.claimsLost })
    }
    isSuspectInWork = true
    return workClaimed(claim, claimedAt).finally(() => (isSuspectInWork = false))
  }

  return {
    async work(resourceId) {
      try {
        if (stopping.signal.aborted) return
        const askedAt = performance.now()
        const claim = await ledger.claim(resourceId, leaseMs, handlerNames)
        if (claim === undefined) return
        const dueInMs = await (claim.claimsLost > 0 ? workSuspect(claim, askedAt) : workClaimed(claim, askedAt))
        deps.wakeIn(Math.min(dueInMs ?? Infinity, restMs))
      } catch (error) {
        // Only the ledger fails here. The resource stays due, and the sweeper finds it once the claim has ended.
        log.error({ resource_id: resourceId, error }, 'work interrupted')
        deps.wakeIn(leaseMs)
        // The sweeper enqueues again at once: whatever the ledger suffers from, asking without a pause makes it no better.
        await pause(stopping.signal)
      }
    },
    stop: () => stopping.abort(new Stopping('The process is stopping.')),
  }
}

const pauseMs = 1_000

function pause(signal: AbortSignal): Promise<void> {
  return sleep(pauseMs, undefined, { signal }).catch(() => undefined)
}
