import { describeError, PawlError, retryOf } from '../errors.ts'
import { ClaimLost } from '../ledger/claims.ts'
import type { Claim, EventRecord, Ledger, Run } from '../ledger/ledger.ts'
import type { AnyHandler } from './handler.ts'
import type { Lease } from './lease.ts'
import { type Backlog, handledByAll, handlersFor, planWork } from './plan.ts'
import { retryDelayMs, type RetryPolicy } from './retry.ts'
import { type Ports, type RunDeps, runHandler } from './run-handler.ts'
import { readCurrentSnapshot } from './snapshot.ts'
import { Stopping } from './stopping.ts'

export interface CatchUpDeps extends Omit<RunDeps, 'ledger' | keyof Ports> {
  ledger: Ledger
  portsFor: (resourceId: string) => Ports
  handlers: readonly AnyHandler[]
  /** From 0 to 1, for jitter. */
  random: () => number
  retry: RetryPolicy
  /** Counts one run. */
  count: (handler: string, result: 'succeeded' | 'failed' | 'parked') => void
}

/** Runs every handler of a claimed resource that is due, each on its own (architecture rule 4); resolves with the milliseconds until the next one is. Throws `ClaimLost` and what the ledger throws. */
export type CatchUp = (claim: Claim, lease: HeldLease) => Promise<number | undefined>

type HeldLease = Pick<Lease, 'signal' | 'assertHeld'>

export function createCatchUp(deps: CatchUpDeps): CatchUp {
  const { ledger, clock, log } = deps
  const depsFor = ({ resourceId }: Claim) => ({ ...deps, ...deps.portsFor(resourceId) })

  async function runAll(claim: Claim, backlogs: Backlog[], events: readonly EventRecord[], lease: HeldLease) {
    let data: unknown
    try {
      data = (await readCurrentSnapshot(claim, events, depsFor(claim), lease.signal)).data
    } catch (error) {
      if (error instanceof ClaimLost) throw error
      const cause: unknown = lease.signal.aborted ? lease.signal.reason : error
      return allOf(backlogs.map((backlog) => recordFailedRead(claim, backlog, cause)))
    }
    return allOf(backlogs.map((backlog) => runBacklog(claim, backlog, data, lease)))
  }

  /** One run for all that rang, or one an event; resolves with the milliseconds until the handler is due again. */
  async function runBacklog(claim: Claim, { handler, ...backlog }: Backlog, data: unknown, lease: HeldLease) {
    let { attempts, readBaseline } = backlog
    const portions = handler.mode === 'each' ? backlog.events.map((event) => [event]) : [backlog.events]
    for (const events of portions) {
      const { run, error } = await runHandler({ claim, handler, events, data, readBaseline }, depsFor(claim), lease)
      if (error !== undefined) return recordFailure(claim, run, error, attempts + 1)
      await ledger.succeed(claim, { ...run, baseline: data })
      deps.count(handler.name, 'succeeded')
      log.info({ ...ids(claim, run), count: run.writes.length, duration_ms: run.finishedAt - run.startedAt }, 'handled')
      attempts = 0
      readBaseline = () => data
    }
    return undefined
  }

  function recordFailedRead(claim: Claim, { handler, events, attempts }: Backlog, error: unknown) {
    const now = clock.now()
    const firstEventId = events.at(0)?.id ?? claim.newestEventId
    const lastEventId = events.at(-1)?.id ?? claim.newestEventId
    const run = { handler: handler.name, startedAt: now, finishedAt: now, firstEventId, lastEventId, writes: [] }
    return recordFailure(claim, run, error, attempts + 1)
  }

  async function recordFailure(claim: Claim, run: Run, error: unknown, attempts: number): Promise<number | undefined> {
    if (error instanceof ClaimLost) throw error
    // Given back as it was: a stop is no fault of the work.
    if (error instanceof Stopping) return 0
    const isFree = error instanceof PawlError && !error.costsAttempt
    // Work that only waits keeps its place; the jitter keeps all that waited from coming back at one moment.
    const counted = isFree ? attempts - 1 : attempts
    const delayMs = retryDelayMs(isFree ? 1 : attempts, retryOf(error), deps.retry, deps.random)
    await ledger.fail(claim, { ...run, error: describeError(error), attempts: counted, delayMs })
    const line = { ...ids(claim, run), attempt: counted, error }
    if (delayMs === undefined) log.error(line, 'handler parked')
    else log.warn({ ...line, retry_in_ms: delayMs }, 'handler failed, will be tried again')
    deps.count(run.handler, delayMs === undefined ? 'parked' : 'failed')
    return delayMs
  }

  return async (claim, lease) => {
    const followers = handlersFor(claim.kind, deps.handlers)
    if (followers.length === 0) return undefined
    const events = await ledger.eventsAfter(claim.resourceId, handledByAll(claim, followers))
    const backlogs = planWork(claim, followers, events)
    const dueNow = backlogs.filter(({ dueInMs }) => dueInMs <= 0)
    const dueAgain = dueNow.length === 0 ? [] : await runAll(claim, dueNow, events, lease)
    return soonest([...dueAgain, ...backlogs.filter(({ dueInMs }) => dueInMs > 0).map(({ dueInMs }) => dueInMs)])
  }
}

/** As Promise.all, but not before every one has ended: while a handler runs, its claim must be kept. */
async function allOf<T>(runs: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(runs)
  return Promise.all(runs)
}

function ids(claim: Claim, run: Run) {
  return { resource_id: claim.resourceId, handler: run.handler, event_id: run.lastEventId }
}

function soonest(delays: readonly (number | undefined)[]): number | undefined {
  const known = delays.filter((delay) => delay !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
