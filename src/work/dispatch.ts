import { setTimeout as sleep } from 'node:timers/promises'
import { ClaimLost, tokenOf } from '@pawl/ledger/hot/claim'
import { type CatchUp, type CatchUpDeps, isParkedForLosses } from './catch-up.ts'
import { createClaimNotes } from './claim-notes.ts'
import type { LeasedClaim, Leases } from './lease.ts'
import { ownEvent } from './own-event.ts'
import { Stopping } from './stopping.ts'
import { newestOf, spanOf, tracedBy } from './traced.ts'
import { createTurns } from './turns.ts'
import type { WatchedPauses } from '../systems/watched-pauses.ts'
import { bindLog, type Log } from '@pawl/base/log'
import { inSpan } from '@pawl/base/tracing/span'

export interface DispatchDeps {
  ledger: CatchUpDeps['ledger']
  catchUp: CatchUp
  leases: Leases
  pauses: Pick<WatchedPauses, 'isPaused'>
  /** Rest of a resource after a run, in milliseconds; events that arrive meanwhile share the next run. */
  restMs: number
  /** Called with the milliseconds until a resource may be due. */
  wakeIn: (delayMs: number) => void
  log: Log
}

export interface Dispatch {
  /** Processes one resource if it is due and free; never rejects. */
  work(this: void, resourceId: string): Promise<void>
  /** Number of resources in progress. */
  inWork(this: void): number
  /** Aborts the work in progress and releases its claims. */
  stop(): void
  /** Aborts the work in progress and keeps its claims. One of these resources may have crashed the process, so each claim ends with its lease and counts as lost. */
  abandon(): void
}

/** Brings every handler of a due resource in sync with the API (docs/design.md). */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const { ledger, catchUp, leases, restMs, log } = deps
  const { stopping } = leases
  let isAbandoned = false
  let inWork = 0
  const turns = createTurns()

  /** Keeps the lease while the handlers run; resolves with the milliseconds until the resource is due again. */
  async function workClaimed({ claim, lease, log }: Claimed): Promise<number | undefined> {
    const claimNotes = createClaimNotes({ ...tokenOf(claim), memory: claim.memory }, ledger)
    try {
      const dueInMs = await catchUp(claim, claimNotes, lease, log)
      // Keep the claim: a still-running handler may have crashed the process.
      if (isAbandoned) throw abandoned()
      return await inSpan('commit', {}, () => claimNotes.release({ dueInMs, restMs }))
    } catch (error) {
      if (!(error instanceof ClaimLost)) throw error
      log.warn({ resource_id: claim.resourceId, error }, 'claim lost')
      return undefined
    }
  }

  /** Processes a resource whose last claim was lost. Requests of its last holder may arrive after those of this claim, so a newer event makes all handlers run once more. */
  async function workSuspect(claimed: Claimed): Promise<number | undefined> {
    const { claim } = claimed
    const { resourceId, kind } = claim
    // A resource about to be parked gets no event, since it must rest.
    if (!isParkedForLosses(claim))
      await ledger.accept(ownEvent({ resourceId, kind, source: 'poll', title: 'Checked again after a lost claim' }))
    return workClaimed(claimed)
  }

  /** Claims and processes the resource. Resolves with `suspect`, without processing it, if it must run alone and `alone` is false. */
  async function claimAndWork(resourceId: string, alone: boolean): Promise<'suspect' | undefined> {
    if (stopping.isOver()) return undefined
    // While all is paused the resource stays due, and the sweeper finds it afterwards.
    if (await deps.pauses.isPaused({ kind: 'all', name: '' })) return undefined
    const startedAt = Date.now()
    const leased = await leases.claim(resourceId, alone)
    if (leased === undefined) return undefined
    const { claim, lease } = leased
    if (claim.suspect && !alone) {
      lease.end()
      await ledger.release(tokenOf(claim), { notes: [], dueInMs: 0, restMs: 0, untried: true })
      return 'suspect'
    }
    const claimed = { claim, lease, log: bindLog(log, tracedBy(newestOf(claim))) }
    claimed.log.debug({ resource_id: resourceId, event_id: claim.newestEventId }, 'claimed')
    await inSpan('process pawl.work', { ...spanOf(claim), startedAt }, async () => {
      await inSpan('claim', { startedAt }, () => Promise.resolve())
      await workAndWake(claimed)
    })
    return undefined
  }

  async function workAndWake(claimed: Claimed): Promise<void> {
    const { claim, lease, log } = claimed
    try {
      const dueInMs = await (claim.suspect ? workSuspect : workClaimed)(claimed).finally(() => lease.end())
      deps.wakeIn(Math.min(dueInMs ?? Infinity, restMs))
    } catch (error) {
      await afterInterruption(claim.resourceId, log, error)
    }
  }

  /** Handles a failure of the ledger. The resource stays due; the sweeper finds it once the claim ends. */
  async function afterInterruption(resourceId: string, log: Log, error: unknown): Promise<void> {
    log.error({ resource_id: resourceId, error }, 'work interrupted')
    deps.wakeIn(leases.leaseMs)
    // The sweeper enqueues it again at once; this wait spares an ailing ledger.
    await pause(stopping.signal)
  }

  return {
    async work(resourceId) {
      inWork += 1
      try {
        const found = await turns.beside(() => claimAndWork(resourceId, false))
        // Alone: if it crashes the process again, no other resource becomes suspect.
        if (found === 'suspect') await turns.alone(() => claimAndWork(resourceId, true))
      } catch (error) {
        await afterInterruption(resourceId, log, error)
      } finally {
        inWork -= 1
      }
    },
    inWork: () => inWork,
    stop: () => stopping.end(new Stopping('The process is stopping.')),
    abandon() {
      isAbandoned = true
      stopping.end(abandoned())
    },
  }
}

/** A claim, with a log that names the trace of its newest event. */
interface Claimed extends LeasedClaim {
  log: Log
}

const pauseMs = 1_000

function pause(signal: AbortSignal): Promise<void> {
  return sleep(pauseMs, undefined, { signal }).catch(() => undefined)
}

function abandoned(): ClaimLost {
  return new ClaimLost('The process exits after an uncaught error; the claim ends with its lease.')
}
