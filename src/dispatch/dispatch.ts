import { ClaimLost } from '../ledger/claims.ts'
import type { Claim } from '../ledger/ledger.ts'
import { type CatchUpDeps, createCatchUp } from './catch-up.ts'
import { Stopping } from './stopping.ts'

export interface DispatchDeps extends CatchUpDeps {
  /** How long a claim lasts unless renewed, in milliseconds: how long a killed process keeps others waiting. */
  leaseMs: number
  /** How long a resource rests after a run, in milliseconds: what rings meanwhile is worked off together. */
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

/** Brings every handler of a rung resource into step with what the API says now (architecture, The one idea). */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const { ledger, log, leaseMs, restMs } = deps
  const catchUp = createCatchUp(deps)
  const stopping = new AbortController()

  /** Holds the resource while its handlers run; resolves with the milliseconds until it is due again. */
  async function workClaimed(claim: Claim): Promise<number | undefined> {
    const lost = new AbortController()
    const renewal = setInterval(() => void renew(claim, lost), leaseMs / 3)
    try {
      const dueInMs = await catchUp(claim, AbortSignal.any([stopping.signal, lost.signal]))
      return await ledger.release(claim, { dueInMs, restMs })
    } catch (error) {
      if (!(error instanceof ClaimLost)) throw error
      log.warn({ resource_id: claim.resourceId, error }, 'claim lost')
      return undefined
    } finally {
      clearInterval(renewal)
    }
  }

  async function renew(claim: Claim, lost: AbortController): Promise<void> {
    const held = await ledger.renew(claim, leaseMs).catch(() => false)
    if (!held) lost.abort(new ClaimLost(`The lease on ${claim.resourceId} could not be renewed.`))
  }

  return {
    async work(resourceId) {
      try {
        if (stopping.signal.aborted) return
        const claim = await ledger.claim(resourceId, leaseMs)
        if (claim === undefined) return
        const dueInMs = await workClaimed(claim)
        deps.wakeIn(Math.min(dueInMs ?? Infinity, restMs))
      } catch (error) {
        // Only the ledger fails here. The resource stays due, and the sweeper finds it once the claim has ended.
        log.error({ resource_id: resourceId, error }, 'work interrupted')
        deps.wakeIn(leaseMs)
      }
    },
    stop: () => stopping.abort(new Stopping('The process is stopping.')),
  }
}
