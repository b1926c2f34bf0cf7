import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Claim, ClaimLost, tokenOf } from '../ledger/hot/claims.ts'
import { namesByKind } from './backlog.ts'
import { type CatchUpDeps, createCatchUp, isParkedForLosses } from './catch-up.ts'
import { createJournal } from './journal.ts'
import { keepLease } from './lease.ts'
import { ownEvent } from './own-event.ts'
import { Stopping } from './stopping.ts'
import { newestOf, spanOf, tracedBy } from './traced.ts'
import { createTurns } from './turns.ts'
import { bindLog, type Log } from '../base/log.ts'
import { inSpan } from '../base/tracing/span.ts'

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
  /** Resources that it is at work on. */
  inWork(this: void): number
  /** Cuts short what is in work and gives it back. */
  stop(): void
  /** Cuts short what is in work and leaves it claimed: one of these resources may be what ends the process, so each claim ends with its lease and counts as lost. */
  abandon(): void
}

/** Brings every handler of a due resource up to what the API says now (docs/design.md). */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const { ledger, log, leaseMs, restMs } = deps
  const catchUp = createCatchUp(deps)
  const handlerNames = namesByKind(deps.handlers)
  const stopping = new AbortController()
  // Every lease listens.
  setMaxListeners(Infinity, stopping.signal)
  let isAbandoned = false
  let inWork = 0
  const turns = createTurns()

  /** Holds the resource while its handlers run; resolves with the milliseconds until it is due again. */
  async function workClaimed({ claim, log }: Claimed, claimedAt: number): Promise<number | undefined> {
    const token = tokenOf(claim)
    const lease = keepLease(token, { ledger, leaseMs, claimedAt, stopping: stopping.signal })
    const journal = createJournal(token, ledger)
    try {
      const dueInMs = await catchUp(claim, journal, lease)
      // Something that its handlers left running may have thrown the error that ends the process: it is not given back.
      if (isAbandoned) throw abandoned()
      return await inSpan('commit', {}, () => journal.release({ dueInMs, restMs }))
    } catch (error) {
      if (!(error instanceof ClaimLost)) throw error
      log.warn({ resource_id: claim.resourceId, error }, 'claim lost')
      return undefined
    } finally {
      lease.end()
    }
  }

  /** Works on a resource whose last claim was never given back. What its holder had sent may arrive after what is sent now, so an event that is newer than this claim has all of its handlers run once more. */
  async function workSuspect(claimed: Claimed, claimedAt: number): Promise<number | undefined> {
    const { claim } = claimed
    const { resourceId, kind } = claim
    // A resource that gets parked must rest.
    if (!isParkedForLosses(claim)) {
      const eventType =
        kind === 'provider_outreach'
          ? 'prior_authorization.provider_outreach_change'
          : (`${kind}.status_change` as const)
      await ledger.accept(
        ownEvent({ resourceId, kind, eventType, source: 'poll', title: 'Checked again after a lost claim' }),
      )
    }
    return workClaimed(claimed, claimedAt)
  }

  /** It stays due, and the sweeper finds it once it may be worked on. */
  async function isHeld(resourceId: string): Promise<boolean> {
    return deps.holds.isAllHeld() && deps.holds.holdsUp({ kind: 'all', name: '' }, resourceId)
  }

  /** Claims the resource and works on it. Resolves with `suspect`, and does nothing, where it has to be worked on alone and `alone` is false. */
  async function claimAndWork(resourceId: string, alone: boolean): Promise<'suspect' | undefined> {
    if (stopping.signal.aborted || (await isHeld(resourceId))) return undefined
    const claimedAt = performance.now()
    const startedAt = Date.now()
    const claim = await ledger.claim(resourceId, leaseMs, handlerNames, alone)
    if (claim === undefined) return undefined
    if (claim.suspect && !alone) {
      await ledger.release(tokenOf(claim), { notes: [], dueInMs: 0, restMs: 0, untried: true })
      return 'suspect'
    }
    const claimed = { claim, log: bindLog(log, tracedBy(newestOf(claim))) }
    claimed.log.debug({ resource_id: resourceId, event_id: claim.newestEventId }, 'claimed')
    await inSpan('process pawl.work', { ...spanOf(claim), startedAt }, async () => {
      await inSpan('claim', { startedAt }, () => Promise.resolve())
      await workAndWake(claimed, claimedAt)
    })
    return undefined
  }

  async function workAndWake(claimed: Claimed, claimedAt: number): Promise<void> {
    try {
      const dueInMs = await (claimed.claim.suspect ? workSuspect(claimed, claimedAt) : workClaimed(claimed, claimedAt))
      deps.wakeIn(Math.min(dueInMs ?? Infinity, restMs))
    } catch (error) {
      await afterInterruption(claimed.claim.resourceId, claimed.log, error)
    }
  }

  /** Only the ledger fails here. The resource stays due, and the sweeper finds it once the claim has ended. */
  async function afterInterruption(resourceId: string, log: Log, error: unknown): Promise<void> {
    log.error({ resource_id: resourceId, error }, 'work interrupted')
    deps.wakeIn(leaseMs)
    // The sweeper enqueues it again at once: whatever the ledger suffers from, asking without a pause makes it no better.
    await pause(stopping.signal)
  }

  return {
    async work(resourceId) {
      inWork += 1
      try {
        const found = await turns.beside(() => claimAndWork(resourceId, false))
        // Beside nothing else: if it ends the process again, nobody else comes under suspicion.
        if (found === 'suspect') await turns.alone(() => claimAndWork(resourceId, true))
      } catch (error) {
        await afterInterruption(resourceId, log, error)
      } finally {
        inWork -= 1
      }
    },
    inWork: () => inWork,
    stop: () => stopping.abort(new Stopping('The process is stopping.')),
    abandon() {
      isAbandoned = true
      stopping.abort(abandoned())
    },
  }
}

/** A claim, with a log that names the trace of its newest event. */
interface Claimed {
  claim: Claim
  log: Log
}

const pauseMs = 1_000

function pause(signal: AbortSignal): Promise<void> {
  return sleep(pauseMs, undefined, { signal }).catch(() => undefined)
}

function abandoned(): ClaimLost {
  return new ClaimLost('The process ends for an error that nobody caught; the claim is left to end with its lease.')
}
