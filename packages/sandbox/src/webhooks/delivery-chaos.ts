import type { WebhookEnvelope } from 'pawl-client/schemas/envelope'
import type { SendingChaos, SendingFault } from '../platform/chaos-settings.ts'
import type { Random } from '../platform/random.ts'
import type { Deliverer } from './deliverer.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { Delivery } from './delivery.ts'

/** Sends deliveries and injects faults into some of them. */
export interface DeliveryChaos {
  send(delivery: Delivery): void
  /** Call after each attempt, to release a delivery that waits behind it. */
  attempted(delivery: Delivery): void
  /** Whether to sign this attempt with a wrong secret; drawn per attempt. */
  signsWrong(): boolean
}

/** How long a delivery waits for the next one to overtake it. Wall-clock milliseconds, like all delays here. */
const maxHoldMs = 2_000
const delayMs = [100, 2_000] as const
const staleAfterMs = [50, 500] as const
const unknownType = 'prior_authorization.sandbox_unheard_of'

/** Reads `chances` at every delivery, so that a control can change them. */
export function createDeliveryChaos(deps: {
  chances: () => SendingChaos
  random: Random
  log: DeliveryLog
  deliverer: Deliverer
}): DeliveryChaos {
  const { chances, random, log, deliverer } = deps
  /** By webhook and resource: the delivery that waits to be overtaken, and the one to repeat once stale. */
  const held = new Map<string, Delivery>()
  const remembered = new Map<string, Delivery>()
  /** Overtaken deliveries, by the one that they follow. */
  const behind = new Map<Delivery, Delivery>()

  const happens = (fault: SendingFault) => random.chance(chances()[fault])

  function repeat(delivery: Delivery, fault: SendingFault, changes: Partial<Delivery> = {}, afterMs = 0): void {
    const { id, webhook, organization, eventType, resourceId, body } = delivery
    const chaos = [fault]
    const copy = log.add({ webhook, organization, eventType, resourceId, body, copyOf: id, chaos, ...changes })
    deliverer.deliver(copy, afterMs)
  }

  function change(delivery: Delivery, fault: SendingFault, how: (envelope: WebhookEnvelope) => WebhookEnvelope): void {
    delivery.body = changed(delivery.body, how)
    ;(delivery.chaos ??= []).push(fault)
  }

  function send(delivery: Delivery): void {
    const key = `${delivery.organization}/${delivery.webhook}/${delivery.resourceId}`
    repeatStale(key, delivery)
    if (happens('unknown_status')) change(delivery, 'unknown_status', withUnknownStatus)
    if (happens('extra_fields')) change(delivery, 'extra_fields', withExtraFields)
    if (happens('unknown_event_type')) {
      const body = changed(delivery.body, withUnknownType)
      repeat(delivery, 'unknown_event_type', { body, eventType: unknownType })
    }
    if (happens('duplicate')) repeat(delivery, 'duplicate')
    if (happens('stale_copy')) remembered.set(key, delivery)
    if (happens('drop')) drop(delivery)
    else deliver(key, delivery)
  }

  function repeatStale(key: string, newer: Delivery): void {
    const stale = remembered.get(key)
    if (stale === undefined || stale.body === newer.body) return
    remembered.delete(key)
    repeat(stale, 'stale_copy', {}, random.between(...staleAfterMs))
  }

  function drop(delivery: Delivery): void {
    ;(delivery.chaos ??= []).push('drop')
    deliverer.drop(delivery)
  }

  /** Delays the delivery, lets it overtake a delayed one, or sends it normally. */
  function deliver(key: string, delivery: Delivery): void {
    const overtaken = held.get(key)
    if (overtaken === undefined && happens('reorder')) {
      ;(delivery.chaos ??= []).push('reorder')
      held.set(key, delivery)
      deliverer.deliver(delivery, maxHoldMs)
      return
    }
    held.delete(key)
    if (overtaken !== undefined) behind.set(delivery, overtaken)
    const isDelayed = happens('delay')
    if (isDelayed) (delivery.chaos ??= []).push('delay')
    deliverer.deliver(delivery, isDelayed ? random.between(...delayMs) : 0)
  }

  return {
    send,
    attempted: (delivery) => {
      const next = behind.get(delivery)
      if (next === undefined) return
      behind.delete(delivery)
      deliverer.sendNow(next)
    },
    signsWrong: () => happens('wrong_secret'),
  }
}

function changed(body: string, change: (envelope: WebhookEnvelope) => WebhookEnvelope): string {
  // The compiler cannot see that the sandbox itself wrote the envelope.
  return JSON.stringify(change(JSON.parse(body) as WebhookEnvelope))
}

const withUnknownStatus = (envelope: WebhookEnvelope) => ({
  ...envelope,
  // An outreach attempt has a state instead.
  data: { ...envelope.data, ['state' in envelope.data ? 'state' : 'status']: 'sandbox_unheard_of' },
})
const withExtraFields = (envelope: WebhookEnvelope) => ({
  ...envelope,
  sandbox_extra: { nested: [1, 'two', null] },
  data: { ...envelope.data, sandbox_extra: true },
})
const withUnknownType = (envelope: WebhookEnvelope) => ({ ...envelope, event_type: unknownType })
