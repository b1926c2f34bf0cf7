import { curedByNewAddress } from 'pawl-client/api/files'
import type { Clock } from '@pawl/base/clock'
import { describeError, httpStatusOf, PawlError, retryOf } from '@pawl/base/errors'
import { ClaimLost, type Claim, tokenOf } from '@pawl/ledger/hot/claim'
import type { Feed } from '@pawl/ledger/feed/create-feed'
import type { FeedNotice } from '@pawl/base/system-notes'
import type { Claims } from '@pawl/ledger/hot/create-claims'
import type { Intake } from '@pawl/ledger/hot/accept'
import type { ShownResult } from '@pawl/ledger/tables'
import type { Effects } from '@pawl/ledger/hot/effects'
import type { Memories } from '@pawl/ledger/hot/memory'
import { bindLog, type Log } from '@pawl/base/log'
import { tracedBy } from './traced.ts'
import type { AnyHandler } from './handler.ts'
import type { Systems } from '../systems/systems.ts'
import type { HeldLease } from './lease.ts'
import type { ClaimNotes } from './claim-notes.ts'
import type { LoopWatch } from './loop-watch.ts'
import { type ChangeForLog, type ChangeSince, createChangeSince } from './change-for-log.ts'
import { type Backlog, handlersFor, isUnchanged, readBacklogs } from './backlog.ts'
import { retryDelayMs, type RetryPolicy } from './retry.ts'
import { callHandler } from './call-handler.ts'
import { readCurrentSnapshot, type SnapshotDeps } from './snapshot.ts'
import { Stopping } from './stopping.ts'
import type { WatchedPauses } from '../systems/watched-pauses.ts'
import { WorkPaused } from '../systems/work-paused.ts'
import { levelOf } from '../systems/system-down.ts'
import type { Run } from '@pawl/ledger/hot/notes'
import { type ErrorBeforeHandlers, shownResult } from '@pawl/ledger/hot/waiting-errors'

/** Several claims in a row on the resource were lost while it ran alone, so its handlers seem to crash or stall the process. It stays parked until a newer event or a retry. */
export class NeverGivenBack extends PawlError {
  readonly code = 'never_given_back' satisfies ErrorBeforeHandlers
  override readonly retry = 'never'
}

/** Handlers that end within this time share a commit; a kill within it may repeat a run. Milliseconds. */
const togetherMs = 100

/** Lost claims in a row that park a resource. */
const maxClaimsLost = 5

/** Whether the resource is parked instead of tried again. */
export function isParkedForLosses({ claimsLost }: Claim): boolean {
  return claimsLost >= maxClaimsLost
}

export interface CatchUpDeps extends Pick<SnapshotDeps, 'noteDrift' | 'wakePollerIn'> {
  ledger: Intake & Claims & Effects & Memories & Pick<Feed, 'publish'>
  systems: Pick<Systems, 'apiFor' | 'open' | 'digest' | 'systemOf'>
  pauses: Pick<WatchedPauses, 'isPaused'>
  handlers: readonly AnyHandler[]
  /** All settings by name, for handlers. */
  settings: object
  clock: Clock
  log: Log
  /** Names the handlers that stall the event loop. */
  watch: Pick<LoopWatch, 'begin'>
  /** From 0 to 1, for jitter. */
  random: () => number
  retry: RetryPolicy
  /** Counts one run; `syncMs` is the time from the commit of its first event to its success. */
  count: (handler: string, result: ShownResult, syncMs?: number) => void
}

/** Runs each due handler of a claimed resource independently (docs/design.md, rule 4) and records the results; `log` names the trace of its newest event. Resolves with the milliseconds until the next one is due. Throws `ClaimLost` and errors of the ledger. */
export type CatchUp = (claim: Claim, claimNotes: ClaimNotes, lease: HeldLease, log: Log) => Promise<number | undefined>

/** Shared by all runs under one claim. */
interface Work {
  claim: Claim
  claimNotes: ClaimNotes
  lease: HeldLease
  beganAt: number
  /** Names the trace of the newest event. */
  log: Log
}

export function createCatchUp(deps: CatchUpDeps): CatchUp {
  const { ledger, systems, pauses, clock, log } = deps

  async function runAll(work: Work, backlogs: Backlog[]): Promise<(number | undefined)[]> {
    const { claim, claimNotes, lease } = work
    if (isParkedForLosses(claim)) {
      const error = new NeverGivenBack(
        `The process died or stalled ${claim.claimsLost} times in a row while only ${claim.resourceId} was in work.`,
      )
      // Its state was never stored, so a poll would find a change and retry it.
      claimNotes.add({ of: 'no_poll' })
      return backlogs.map((backlog) => recordSkippedRun(work, backlog, error))
    }
    let data: unknown
    try {
      const api = systems.apiFor(claim.resourceId)
      // File addresses in the stored snapshot have likely expired.
      const anew = backlogs.some(({ errorCode = '' }) => curedByNewAddress.has(errorCode))
      const options = { signal: lease.ending.signal, anew }
      data = await readCurrentSnapshot(claim, claimNotes, { ...deps, api, log: work.log }, options)
    } catch (error) {
      const cause = lease.ending.isOver() ? lease.ending.reason() : error
      return backlogs.map((backlog) => recordSkippedRun(work, backlog, cause))
    }
    // Records early if another handler still runs; the last handlers are recorded with the release.
    const recorded: Promise<void>[] = []
    let timer: NodeJS.Timeout | undefined
    const recordSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        const recording = claimNotes.record()
        // A rejection is handled below, once every handler has ended.
        recording.catch(() => undefined)
        recorded.push(recording)
      }, togetherMs).unref()
    }
    const changeSince = createChangeSince(data)
    const runs = backlogs.map((backlog) => runBacklog(work, backlog, data, changeSince).finally(recordSoon))
    // The claim must be kept until every handler has ended.
    const ended = await Promise.allSettled(runs)
    clearTimeout(timer)
    // A rejection prevents the release, so this records the results of the others.
    if (ended.some(({ status }) => status === 'rejected')) await claimNotes.record()
    await Promise.all(recorded)
    return Promise.all(runs)
  }

  /** Runs the handler once for all events, or once per event; resolves with the milliseconds until it is due again. */
  async function runBacklog(work: Work, backlog: Backlog, data: unknown, changeSince: ChangeSince) {
    const { claim, claimNotes, lease } = work
    if (isUnchanged(claim, backlog, data)) {
      noteSuccess(work, emptyRun(claim, backlog), changeSince(data))
      return undefined
    }
    const { handler } = backlog
    let { attempts, readBaseline, readTried } = backlog
    const portions = handler.mode === 'each' ? backlog.events.map((event) => [event]) : [backlog.events]
    for (const [index, events] of portions.entries()) {
      // Records each event's run, so that a failure at the next event does not repeat it.
      if (index > 0) await claimNotes.record()
      const task = {
        claim,
        handler,
        events,
        data,
        readBaseline,
        readTried,
        memoryOf: claimNotes.memoryOf,
        publish: (notice: FeedNotice) => ledger.publish(tokenOf(claim), notice),
      }
      const isOfNewest = events.at(-1)?.id === claim.newestEventId
      const bound = isOfNewest ? work.log : bindLog(log, tracedBy(events.at(-1)))
      const { run, error } = await callHandler(task, { ...deps, log: bound }, lease)
      if (error !== undefined) return noteFailure(work, run, error, attempts + 1)
      noteSuccess(work, run, changeSince(readBaseline()))
      attempts = 0
      readBaseline = () => data
      readTried = () => []
    }
    return undefined
  }

  function noteSuccess({ claim, claimNotes, beganAt }: Work, run: Run, change: ChangeForLog): void {
    claimNotes.add({ of: 'success', run }, () => {
      const durationMs = run.finishedAt - run.startedAt
      const first = claim.events.find(({ id }) => id === run.firstEventId)
      // Adds two differences, one by the ledger's clock and one by this process's.
      const syncMs = first && Math.max(0, claim.claimedAt - first.receivedAt) + run.finishedAt - beganAt
      deps.count(run.handler, 'succeeded', syncMs)
      const did = { count: run.writes.length, wrote: typesOf(run), duration_ms: durationMs }
      log.info({ ...ids(claim, run), ...change, ...did }, 'handled')
    })
  }

  function recordSkippedRun(work: Work, backlog: Backlog, error: unknown): number | undefined {
    return noteFailure(work, emptyRun(work.claim, backlog), error, backlog.attempts + 1)
  }

  /** A run that ended at once. */
  function emptyRun({ newestEventId }: Claim, { handler, events }: Backlog): Run {
    const now = clock.now()
    const [firstEventId, lastEventId] = [events.at(0)?.id ?? newestEventId, events.at(-1)?.id ?? newestEventId]
    return { handler: handler.name, startedAt: now, finishedAt: now, firstEventId, lastEventId, writes: [] }
  }

  function noteFailure({ claim, claimNotes }: Work, run: Run, error: unknown, attempts: number): number | undefined {
    if (error instanceof ClaimLost) throw error
    // Released unchanged: a stop costs no attempt.
    if (error instanceof Stopping) return 0
    const isFree = error instanceof PawlError && !error.costsAttempt
    // A wait costs no attempt; jitter spreads the retries.
    const counted = isFree ? attempts - 1 : attempts
    const delayMs = retryDelayMs(isFree ? 0 : attempts, retryOf(error), deps.retry, deps.random)
    const described = { ...describeError(error), system: systems.systemOf(error), httpStatus: httpStatusOf(error) }
    const againMs = error instanceof PawlError ? error.parkedAgainMs : undefined
    const parkedAgainMs = againMs && Math.round(againMs * (1 + deps.random() / 2))
    const failure = { ...run, error: described, attempts: counted, delayMs, parkedAgainMs }
    claimNotes.add({ of: 'failure', run: failure }, () => {
      const line = { ...ids(claim, run), attempt: counted, error }
      if (delayMs === undefined) log.error({ ...line, retry_in_ms: parkedAgainMs }, 'handler parked')
      else log[levelOf(error)]({ ...line, retry_in_ms: delayMs }, 'handler failed, will be retried')
      deps.count(run.handler, delayMs === undefined ? 'parked' : shownResult('failed', described.code))
    })
    return delayMs
  }

  return async (claim, claimNotes, lease, boundLog) => {
    const backlogs = readBacklogs(claim, handlersFor(claim.kind, deps.handlers))
    const dueNow = backlogs.filter(({ dueInMs }) => dueInMs <= 0)
    const work = { claim, claimNotes, lease, log: boundLog, beganAt: clock.now() }
    const paused: Backlog[] = []
    for (const backlog of dueNow)
      if (await pauses.isPaused({ kind: 'handler', name: backlog.handler.name })) paused.push(backlog)
    const free = dueNow.filter((backlog) => !paused.includes(backlog))
    const dueAgain = free.length === 0 ? [] : await runAll(work, free)
    // If a pause ends meanwhile, the release makes the resource due.
    for (const backlog of paused)
      dueAgain.push(recordSkippedRun(work, backlog, new WorkPaused('handler', backlog.handler.name)))
    return soonest([...dueAgain, ...backlogs.filter(({ dueInMs }) => dueInMs > 0).map(({ dueInMs }) => dueInMs)])
  }
}

function ids(claim: Claim, run: Run) {
  const last = claim.events.findLast(({ id }) => id === run.lastEventId)
  return { resource_id: claim.resourceId, handler: run.handler, event_id: run.lastEventId, ...tracedBy(last) }
}

/** The distinct types, such as `Task,ClaimResponse`. */
function typesOf({ writes }: Run): string | undefined {
  return writes.length === 0 ? undefined : [...new Set(writes.map(({ type }) => type))].join(',')
}

function soonest(delays: readonly (number | undefined)[]): number | undefined {
  const known = delays.filter((delay) => delay !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
