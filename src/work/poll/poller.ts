import type { Api } from 'pawl-client/api/client'
import type { Clock } from '@pawl/base/clock'
import { readDocument, type Document } from '@pawl/ledger/sealing/documents'
import type { Log } from '@pawl/base/log'
import { isTerminal, readFields } from 'pawl-client/schemas/kinds'
import { levelOf } from '../../systems/system-down.ts'
import { ownEvent } from '../own-event.ts'
import { isSameState } from 'pawl-client/schemas/same-state'
import { readPersonWait } from 'pawl-client/schemas/waits-for-people'
import { inSpan } from '@pawl/base/tracing/span'
import { readAnew } from '../snapshot.ts'
import { createPollAgain } from './poll-again.ts'
import type { Pollable, PollResult } from '@pawl/ledger/hot/polls'
import type { NoteDrift } from 'pawl-client/events/drift-seen'
import type { Polls } from '@pawl/ledger/hot/create-polls'

export interface PollerDeps {
  ledger: Pick<Polls, 'claimPolls' | 'nextPollIn' | 'recordPoll'>
  noteDrift: NoteDrift
  apiFor: (resourceId: string) => Pick<Api, 'readSnapshot'>
  enqueue: (resourceId: string) => Promise<void>
  /** Whether all work is paused, polls included. */
  isAllPaused: () => boolean
  /** Max time between two rounds, in milliseconds. */
  intervalMs: number
  clock: Clock
  log: Log
}

/** Polls resources that may have changed without a webhook (docs/design.md, rule 9). */
export interface Poller {
  start(): void
  /** Starts a round now instead of after the interval. */
  wake(this: void): void
  /** Starts a round within `delayMs`. */
  wakeIn(this: void, delayMs: number): void
  /** Whether a round is under way. */
  isPolling(this: void): boolean
  close(): Promise<void>
}

/** Resources per round: polls run in the background and must not crowd out due work. */
const batchSize = 20
/** Concurrent GETs. */
const lanes = 4
/** How long a round reserves its resources; then another round may poll them. Milliseconds. */
const holdMs = 120_000
/** Min wait between rounds, so that polls due close together share one. */
const minPauseMs = 1_000

export function createPoller({
  ledger,
  noteDrift,
  apiFor,
  enqueue,
  isAllPaused,
  intervalMs,
  clock,
  log,
}: PollerDeps): Poller {
  const stopping = new AbortController()
  const again = createPollAgain()
  let timer: NodeJS.Timeout | undefined
  let timerAt = Infinity
  let round: Promise<void> | undefined

  async function ask(poll: Pollable, signal: AbortSignal): Promise<PollResult> {
    const { resourceId, kind, ageMs } = poll
    if (kind === 'provider_outreach') return { of: 'unchanged', pollInMs: undefined }
    const before = readIfOpen(poll.snapshot)
    const answer = await readAnew(
      {
        resourceId,
        kind,
        snapshot: poll.snapshot,
        wasTerminal: isTerminal(kind, readFields(before, kind).status),
        webhook: readableWebhook(poll),
        ageMs,
      },
      {
        ask: () => apiFor(resourceId).readSnapshot(kind, resourceId, { signal, priority: 'background' }),
        noteDrift,
        clock,
        log,
      },
    )
    const { data, goesBack, pollInMs } = answer
    if (goesBack) return { of: 'unchanged', pollInMs }
    if (isSameState(data, before)) return { of: 'unchanged', pollInMs, personWait: readPersonWait(kind, data) }
    const event = ownEvent({ resourceId, kind, source: 'poll', title: 'Found by polling' })
    return { of: 'changed', snapshot: answer.toNote(), event }
  }

  /** Starts a trace, which a change found here continues. */
  function poll(each: Pollable, signal: AbortSignal): Promise<void> {
    const attributes = { 'pawl.resource.id': each.resourceId, 'pawl.resource.kind': each.kind }
    return inSpan('poll', { follows: {}, attributes }, () => pollInSpan(each, signal))
  }

  async function pollInSpan(each: Pollable, signal: AbortSignal): Promise<void> {
    const { resourceId } = each
    let result: PollResult
    try {
      result = await ask(each, signal)
      again.read(resourceId)
    } catch (error) {
      // An aborted poll is repeated once its reservation ends.
      if (signal.aborted) return
      log[levelOf(error)]({ resource_id: resourceId, error }, 'poll failed')
      result = { of: 'failed', pollInMs: again.failed(each, error) }
    }
    const recorded = await ledger.recordPoll(each, result)
    if (recorded === undefined || result.of !== 'changed') return
    log.info(
      { event_type: result.event.eventType, resource_id: resourceId, trace_id: recorded.traceId },
      'change found by polling',
    )
    await enqueue(resourceId)
  }

  async function pollBatch(): Promise<boolean> {
    if (isAllPaused()) return false
    // Started before the ledger's own timer, so that it ends first.
    const deadline = AbortSignal.timeout(holdMs)
    const { polls, more } = await ledger.claimPolls(batchSize, holdMs)
    const signal = AbortSignal.any([stopping.signal, deadline])
    const waiting = polls.values()
    const lane = async () => {
      for (const each of waiting) if (!signal.aborted) await poll(each, signal)
    }
    const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, polls.length) }, lane))
    for (const each of ended) if (each.status === 'rejected') throw each.reason
    return more
  }

  async function run(): Promise<void> {
    let pauseMs = intervalMs
    try {
      const more = await pollBatch()
      const nextInMs = more ? 0 : isAllPaused() ? undefined : await ledger.nextPollIn()
      if (more) pauseMs = 0
      else if (nextInMs !== undefined) pauseMs = Math.max(minPauseMs, nextInMs)
    } catch (error) {
      log.error({ error }, 'polling failed')
    }
    round = undefined
    schedule(pauseMs)
  }

  function schedule(delayMs: number): void {
    const at = performance.now() + Math.min(delayMs, intervalMs)
    if (stopping.signal.aborted || at >= timerAt) return
    clearTimeout(timer)
    timerAt = at
    timer = setTimeout(start, at - performance.now())
  }

  function start(): void {
    clearTimeout(timer)
    timerAt = Infinity
    // A round in progress schedules the next one.
    round ??= run()
  }

  return {
    start,
    wake() {
      if (!stopping.signal.aborted) start()
    },
    isPolling: () => round !== undefined,
    wakeIn: (delayMs) => schedule(Math.max(minPauseMs, delayMs)),
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await round
    },
  }
}

/** A snapshot with a broken seal reads as absent: the poll then finds a change, and the claim that follows reports the seal. */
function readIfOpen(document: Document | undefined): unknown {
  return document !== undefined && 'broken' in document ? undefined : readDocument(document)
}

/** An unreadable webhook cannot show that the API lags behind. */
function readableWebhook({ webhook }: Pollable): Pollable['webhook'] {
  return webhook?.body === undefined || 'broken' in webhook.body ? undefined : webhook
}
