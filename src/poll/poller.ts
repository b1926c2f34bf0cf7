import type { Api } from '../api/client.ts'
import { retryOf } from '../errors.ts'
import type { EventType } from '../events/catalog.ts'
import { readDocument } from '../ledger/documents.ts'
import type { Document, Ledger, Pollable } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { BenefitVerification } from '../resources/benefit-verification.ts'
import { PriorAuthorization } from '../resources/prior-authorization.ts'
import { computeChanges } from '../work/changes.ts'
import { ownEvent } from './own-event.ts'
import { pollDelayMs } from './pace.ts'
import { isSameState } from '../work/same-state.ts'
import { levelOf } from '../systems/system-down.ts'

export interface PollerDeps {
  ledger: Pick<Ledger, 'pollable' | 'notePoll' | 'accept'>
  apiFor: (resourceId: string) => Pick<Api, 'readSnapshot'>
  enqueue: (resourceId: string) => Promise<void>
  intervalMs: number
  log: Log
}

/** Looks at resources that may have changed without a webhook (docs/design.md, rule 9). */
export interface Poller {
  start(): void
  /** Begins a round now instead of at the end of the pause. */
  wake(this: void): void
  close(): Promise<void>
}

/** Resources looked at in one round: missed webhooks heal in the background and must not crowd out the work that rang. */
const batchSize = 20
/** GETs at once: while one is on its way, the next need not wait. */
const lanes = 4
/** After a failed look. */
const retryMs = 60_000

export function createPoller({ ledger, apiFor, enqueue, intervalMs, log }: PollerDeps): Poller {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined

  async function look(resource: Pollable): Promise<void> {
    const { resourceId, kind } = resource
    if (kind === 'provider_outreach') return ledger.notePoll(resourceId, undefined)
    const data = await apiFor(resourceId).readSnapshot(kind, resourceId, {
      signal: stopping.signal,
      priority: 'background',
    })
    const before = readOrForget(resource.snapshot)
    const types = isSameState(data, before) ? [] : changedTypes(kind, data, before)
    // Also when an event follows: its own read sets the next time anew.
    await ledger.notePoll(resourceId, pollDelayMs(kind, data, resource.ageMs))
    for (const eventType of types) {
      const event = ownEvent({
        resourceId,
        kind,
        eventType,
        source: 'poll',
        title: 'Found by polling',
        about: { data },
      })
      const { eventId } = await ledger.accept(event)
      log.info({ event_id: eventId, event_type: eventType, resource_id: resourceId }, 'change found by polling')
    }
    if (types.length > 0) await enqueue(resourceId)
  }

  async function lookSafely(resource: Pollable): Promise<void> {
    try {
      await look(resource)
    } catch (error) {
      if (stopping.signal.aborted) return
      log[levelOf(error)]({ resource_id: resource.resourceId, error }, 'poll failed')
      const again = retryOf(error) === 'never' ? undefined : retryMs
      await ledger.notePoll(resource.resourceId, again)
    }
  }

  async function poll(): Promise<void> {
    let isBacklog = false
    try {
      const batch = await ledger.pollable(batchSize)
      const waiting = batch.values()
      const lane = async () => {
        for (const resource of waiting) await lookSafely(resource)
      }
      await Promise.all(Array.from({ length: lanes }, lane))
      isBacklog = batch.length === batchSize
    } catch (error) {
      log.error({ error }, 'polling failed')
    }
    round = undefined
    if (!stopping.signal.aborted) timer = setTimeout(startRound, isBacklog ? 0 : intervalMs)
  }

  function startRound(): void {
    round = poll()
  }

  return {
    start: startRound,
    wake() {
      if (round !== undefined || stopping.signal.aborted) return
      clearTimeout(timer)
      startRound()
    },
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await round
    },
  }
}

/** One snapshot that cannot be read must not keep the others from being polled; without it, the poll finds a change, and whoever works on that says what is wrong. */
function readOrForget(document: Document | undefined): unknown {
  return document !== undefined && 'broken' in document ? undefined : readDocument(document)
}

/** The event types that the service would have sent for what changed, so that the handlers which follow them run. */
function changedTypes(
  kind: 'prior_authorization' | 'benefit_verification',
  now: unknown,
  before: unknown,
): EventType[] {
  if (kind === 'benefit_verification')
    return BenefitVerification.safeParse(now).success ? ['benefit_verification.status_change'] : []
  const resource = PriorAuthorization.parse(now)
  const changes = computeChanges(kind, resource, PriorAuthorization.safeParse(before).data)
  const types: EventType[] = []
  if (changes.newMessages.length > 0) types.push('prior_authorization.message')
  if (changes.prescriptionTransfer !== undefined) types.push('prior_authorization.prescription_transfer_change')
  if (changes.newActivity.length > 0) types.push('prior_authorization.activity_log_updated')
  if (changes.status !== undefined || changes.outcome !== undefined || types.length === 0)
    types.push('prior_authorization.status_change')
  return types
}
