import type { Clock } from '@pawl/base/clock'
import type { Archive } from '../platform/archive.ts'
import type { ChaosDial } from '../platform/chaos-settings.ts'
import type { Observe } from '../platform/observe.ts'
import type { Random } from '../platform/random.ts'
import { createDeliveryChaos } from './delivery-chaos.ts'
import { createDeliverer, type Deliverer } from './deliverer.ts'
import type { Delivery } from './delivery.ts'
import { createDeliveryLog, type DeliveryLog } from './delivery-log.ts'
import { deliveryDefaults, type DeliverySettings, type WebhookSettings } from './settings.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/** The path from an event to its receiver. */
export interface Sending {
  webhooks: Webhooks
  log: DeliveryLog
  deliverer: Deliverer
  /** Sends the archived pending deliveries. Call once. */
  resume(): void
}

/** Turns events into deliveries; chaos may change them, and the deliverer sends them. */
export function createSending(deps: {
  settings: DeliverySettings | undefined
  fetch: typeof fetch
  /** Webhooks of an organization, by name. */
  webhooksOf: (organization: string) => ReadonlyMap<string, WebhookSettings>
  /** Signs the file URLs of a resource. */
  sign: <T>(resource: T) => T
  chaos: ChaosDial
  archive: Archive
  random: Random
  clock: Clock
  changed: () => void
  observe: Observe
}): Sending {
  const { webhooksOf, sign, chaos, archive, random, clock, changed, observe } = deps
  const settings = { ...deliveryDefaults, ...deps.settings }
  const log = createDeliveryLog({ keep: settings.keep, archive })
  const deliverer = createDeliverer({
    settings,
    webhookOf: ({ organization, webhook }) => webhooksOf(organization).get(webhook),
    fetch: deps.fetch,
    random: random.fork('deliveries'),
    clock,
    signsWrong: () => deliveryChaos.signsWrong(),
    attempted: (delivery) => {
      log.changed(delivery)
      observeAttempt(delivery)
      deliveryChaos.attempted(delivery)
    },
    changed,
  })
  const deliveryChaos = createDeliveryChaos({
    chances: () => chaos.read().sending,
    random: random.fork('chaos/sending'),
    log,
    deliverer,
  })
  function observeAttempt(delivery: Delivery): void {
    const { id, eventType, resourceId, organization, webhook, attempts, state, chaos: faults } = delivery
    const url = webhooksOf(organization).get(webhook)?.url
    const host = url === undefined ? 'nowhere' : new URL(url).host
    const { status, error } = attempts.at(-1) ?? {}
    const about = { delivery_id: id, event_type: eventType, resource_id: resourceId, webhook, host }
    observe({ kind: 'delivery', ...about, attempt: attempts.length, status, error, state, chaos: faults })
  }

  return {
    log,
    deliverer,
    webhooks: createWebhooks({
      webhooksOf: (organization) => webhooksOf(organization).values(),
      sign,
      log,
      deliverer,
      send: deliveryChaos.send,
    }),
    resume: () => {
      for (const delivery of log.list()) if (delivery.state === 'pending') deliverer.deliver(delivery)
    },
  }
}
