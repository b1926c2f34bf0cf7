import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { PawlError } from '@pawl/base/errors'
import { contract } from '@pawl/console/contract/contract'
import { isEventType } from 'pawl-client/events/event-types'
import type { AskAdmin } from '@pawl/console/commands/admin-client'
import type { DeliveryAnswer } from './post-delivery.ts'

type Event = z.output<typeof contract.events.answer>['events'][number]

/** Events of one request. */
const batch = 100
const pauseMs = 2_000
/** Each pause during an outage doubles, up to this. */
const maxPauseMs = 30_000
/** Max time for an answer of the admin listener. */
const timeoutMs = 30_000

/** The receiving gateway refuses an event, and would refuse it again. */
class ForwardRefused extends PawlError {
  readonly code = 'forward_refused'
}

export interface ForwardDeps {
  /** The gateway that the events come from. */
  callAdmin: AskAdmin
  deliver(body: string): Promise<DeliveryAnswer>
  /** The number of the last forwarded event. */
  cursor: { read(): Promise<number | undefined>; write(eventId: number): Promise<void> }
  /** Called for each forwarded event. */
  onForwarded(event: Event, status: number): void
  /** Called once for each outage, and when events are skipped. */
  note(text: string): void
}

/** Forwards a hint of each event after the cursor, oldest first, then of new ones as they come; without a cursor, only new ones. With `once`, ends after the newest. Rejects if the first request fails or the receiver refuses; later outages only delay it. */
export async function forwardEvents(deps: ForwardDeps, { once }: { once: boolean }): Promise<void> {
  const { cursor, note } = deps
  let after = await startingPoint(deps)
  await cursor.write(after)
  for (let failures = 0; ;) {
    const step = await attempt(async () => {
      // After an outage, the ledger may be another one.
      if (failures > 0) after = await startingPoint(deps)
      return read(deps, { after, limit: batch })
    })
    if (typeof step === 'string') {
      if (once) throw new ForwardRefused(step)
      if (failures === 0) note(step)
      failures += 1
    } else {
      if (failures > 0) note('The gateway of --from answers again.')
      failures = 0
      for (const event of step.events) {
        await forward(event, deps, once)
        after = event.id
        await cursor.write(after)
      }
      if (step.events.length === batch) continue
      if (once) return
    }
    await sleep(Math.min(pauseMs * 2 ** failures, maxPauseMs))
  }
}

/** Where to continue: the newest event if there is no cursor, or if the cursor is from another ledger. */
async function startingPoint({ callAdmin, cursor, note }: ForwardDeps): Promise<number> {
  const { events } = await read({ callAdmin }, { limit: 1 })
  const newest = events[0]?.id ?? 0
  const last = await cursor.read()
  if (last === undefined || last <= newest) return last ?? newest
  note(`The ledger of --from begins anew (its newest event is ${newest}, the last forwarded was ${last}).`)
  return newest
}

/** Delivers it, waiting while the receiver is away. */
async function forward(event: Event, { deliver, onForwarded, note }: ForwardDeps, once: boolean): Promise<void> {
  const { id, resourceId, type } = event
  // An event without a resource, or of an undocumented type, makes nothing due.
  if (resourceId === undefined || !isEventType(type)) return
  const body = JSON.stringify({
    title: 'Forwarded',
    description: 'A hint of another gateway, sent with pawl forward',
    // Tells hints of one resource apart, and a hint that was forwarded twice.
    event_id: `forwarded-${id}`,
    event_type: type,
    data: { id: resourceId },
  })
  for (let failures = 0; ; failures += 1) {
    const { status, body: said } = await deliver(body)
    if (status !== undefined && status >= 200 && status <= 299) {
      if (failures > 0) note('The gateway of --to accepts deliveries again.')
      return onForwarded(event, status)
    }
    const problem =
      status === undefined ? String(said) : `The gateway of --to answered ${status}: ${JSON.stringify(said)}`
    if (status === 401)
      throw new ForwardRefused('The gateway of --to refuses the signature: set WEBHOOK_SECRETS to its newest secret.')
    if (once || (status !== undefined && status < 500)) throw new ForwardRefused(problem)
    if (failures === 0) note(problem)
    await sleep(Math.min(pauseMs * 2 ** failures, maxPauseMs))
  }
}

async function read({ callAdmin }: Pick<ForwardDeps, 'callAdmin'>, query: { after?: number; limit: number }) {
  const giveUp = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new ForwardRefused(`The gateway of --from did not answer within ${timeoutMs / 1_000} seconds.`)
  })
  try {
    return await Promise.race([callAdmin(contract.events, { query }), late])
  } finally {
    giveUp.abort()
    late.catch(() => undefined)
  }
}

/** The result, or the message of a possibly transient error. */
async function attempt<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return error.message
  }
}
