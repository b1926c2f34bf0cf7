import type { Clock } from '@pawl/base/clock'
import type { Random } from '../platform/random.ts'
import type { Delivery, DeliveryAttempt } from './delivery.ts'
import type { DeliverySettings, WebhookSettings } from './settings.ts'
import { signDelivery } from './sign.ts'

/** Sends deliveries to their receivers, with retries. */
export interface Deliverer {
  /** Queues the delivery, after `afterMs` wall-clock milliseconds (default 0). */
  deliver(delivery: Delivery, afterMs?: number): void
  /** Sends a delayed delivery now; ignores any other. */
  sendNow(delivery: Delivery): void
  /** Marks a delivery as given up without queueing it. */
  drop(delivery: Delivery): void
  /** Number of deliveries neither acknowledged nor given up. */
  pending(): number
  /** Drops every pending delivery; attempts in flight are not recorded. */
  forget(): void
  /** Aborts running attempts and drops waiting ones. */
  close(): void
}

/** The deliveries to one webhook: a slow receiver must not delay the others. */
interface Lane {
  ready: Set<Delivery>
  inFlight: number
}

/** Every attempt gets a new signature; the body stays byte for byte the same. */
export function createDeliverer(deps: {
  settings: Required<DeliverySettings>
  webhookOf: (delivery: Delivery) => WebhookSettings | undefined
  fetch: typeof fetch
  random: Random
  clock: Clock
  /** Whether to sign this attempt with a wrong secret. */
  signsWrong: () => boolean
  /** Called after every attempt, once the delivery records it. */
  attempted: (delivery: Delivery) => void
  changed: () => void
}): Deliverer {
  const { settings, webhookOf, random, clock, attempted, changed } = deps
  const lanes = new Map<string, Lane>()
  const timers = new Map<Delivery, NodeJS.Timeout>()
  const onTheWire = new Set<AbortController>()
  const pending = new Set<Delivery>()
  let closed = false

  function laneOf({ organization, webhook }: Delivery): Lane {
    const key = `${organization}/${webhook}`
    const lane = lanes.get(key) ?? { ready: new Set(), inFlight: 0 }
    lanes.set(key, lane)
    return lane
  }

  function queue(delivery: Delivery, afterMs: number): void {
    if (closed) return
    if (afterMs > 0) {
      const timer = setTimeout(() => {
        timers.delete(delivery)
        queue(delivery, 0)
      }, afterMs)
      timers.set(delivery, timer)
      return
    }
    const lane = laneOf(delivery)
    lane.ready.add(delivery)
    drain(lane)
  }

  function drain(lane: Lane): void {
    for (const delivery of lane.ready) {
      if (closed || lane.inFlight >= settings.inFlight) return
      lane.ready.delete(delivery)
      const webhook = enabledWebhookOf(delivery)
      if (webhook === undefined) {
        giveUp(delivery, 'the webhook is switched off or was removed')
        continue
      }
      lane.inFlight++
      void attempt(delivery, webhook).then((outcome) => {
        lane.inFlight--
        if (!closed && pending.has(delivery)) {
          settle(delivery, outcome)
          attempted(delivery)
        }
        drain(lane)
      })
    }
  }

  function enabledWebhookOf(delivery: Delivery): WebhookSettings | undefined {
    const webhook = webhookOf(delivery)
    return webhook?.enabled === false ? undefined : webhook
  }

  function giveUp(delivery: Delivery, error: string): void {
    delivery.attempts.push({ at: new Date(clock.now()).toISOString(), durationMs: 0, error })
    finish(delivery, 'given_up')
    attempted(delivery)
  }

  function settle(delivery: Delivery, outcome: DeliveryAttempt): void {
    delivery.attempts.push(outcome)
    const { status = 0 } = outcome
    if (status >= 200 && status < 300) finish(delivery, 'delivered')
    else if (delivery.attempts.length >= settings.maxAttempts) finish(delivery, 'given_up')
    else queue(delivery, retryAfterMs(delivery.attempts.length, settings, random))
  }

  function finish(delivery: Delivery, state: 'delivered' | 'given_up'): void {
    delivery.state = state
    pending.delete(delivery)
    changed()
  }

  async function attempt(delivery: Delivery, webhook: WebhookSettings): Promise<DeliveryAttempt> {
    const startedMs = clock.now()
    const at = new Date(startedMs).toISOString()
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), settings.timeoutMs)
    onTheWire.add(controller)
    let headers: Record<string, string> | undefined
    try {
      headers = await headersOf(delivery, webhook)
      const status = await post(webhook.url, headers, delivery.body, controller.signal)
      return { at, durationMs: clock.now() - startedMs, status, headers }
    } catch (error) {
      const reason = controller.signal.aborted ? 'timeout' : reasonOf(error)
      return { at, durationMs: clock.now() - startedMs, error: reason, ...(headers && { headers }) }
    } finally {
      clearTimeout(timer)
      onTheWire.delete(controller)
    }
  }

  async function headersOf({ body }: Delivery, { secret, bodyDigest = false }: WebhookSettings) {
    const signedWith = deps.signsWrong() ? `not ${secret}` : secret
    const token = await signDelivery({ secret: signedWith, body, bodyDigest, nowMs: clock.now() })
    return { 'content-type': 'application/json', 'x-webhook-secret': token }
  }

  async function post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal) {
    const response = await deps.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    // Reading the whole body lets the connection be reused.
    await response.arrayBuffer()
    return response.status
  }

  return {
    deliver: (delivery, afterMs = 0) => {
      pending.add(delivery)
      queue(delivery, afterMs)
    },
    sendNow: (delivery) => {
      const waiting = timers.get(delivery)
      if (waiting === undefined) return
      clearTimeout(waiting)
      timers.delete(delivery)
      queue(delivery, 0)
    },
    drop: (delivery) => {
      pending.add(delivery)
      giveUp(delivery, 'dropped by chaos')
    },
    pending: () => pending.size,
    forget: () => {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      for (const { ready } of lanes.values()) ready.clear()
      pending.clear()
      changed()
    },
    close: () => {
      closed = true
      for (const timer of timers.values()) clearTimeout(timer)
      for (const controller of onTheWire) controller.abort()
      timers.clear()
    },
  }
}

/** Backoff after `attempts`: exponential, with jitter in the upper half to keep retries from aligning. */
export function retryAfterMs(
  attempts: number,
  { retryBaseMs, retryMaxMs }: Pick<Required<DeliverySettings>, 'retryBaseMs' | 'retryMaxMs'>,
  random: Pick<Random, 'next'>,
): number {
  const wait = Math.min(retryMaxMs, retryBaseMs * 2 ** (attempts - 1))
  return wait / 2 + (random.next() * wait) / 2
}

/** The error code, if any; fetch hides it in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return error instanceof Error ? error.message : 'unknown'
}
