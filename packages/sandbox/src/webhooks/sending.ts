import type { Clock } from '@pawl/base/clock'
import type { Archive } from '../platform/archive.ts'
import type { ChaosDial } from '../platform/chaos-settings.ts'
import type { Observe } from '../platform/observe.ts'
import type { Part } from '../platform/part.ts'
import type { Draws, Random } from '../platform/random.ts'
import { createDeliveryChaos, type DeliveryChaos } from './delivery-chaos.ts'
import { createDeliverer, type Deliverer } from './deliverer.ts'
import type { Delivery } from './delivery.ts'
import { createDeliveryLog, type DeliveryLog } from './delivery-log.ts'
import { deliveryDefaults, type DeliverySettings, type WebhookSettings } from './settings.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

interface SavedSending {
  log: ReturnType<DeliveryLog['save']>
  waits: ReturnType<Deliverer['waits']>
  chaos: ReturnType<DeliveryChaos['save']>
  draws: { retries: Draws; chaos: Draws }
}

/** The path from an event to its receiver. */
export interface Sending extends Part<SavedSending> {
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
  const draws = { retries: random.fork('deliveries'), chaos: random.fork('chaos/sending') }
  const log = createDeliveryLog({ keep: settings.keep, archive })
  const deliverer = createDeliverer({
    settings,
    webhookOf: ({ organization, webhook }) => webhooksOf(organization).get(webhook),
    fetch: deps.fetch,
    random: draws.retries,
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
    random: draws.chaos,
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
    save: () => ({
      log: log.save(),
      waits: deliverer.waits(),
      chaos: deliveryChaos.save(),
      draws: { retries: draws.retries.save(), chaos: draws.chaos.save() },
    }),
    restore: (saved) => {
      deliverer.forget()
      draws.retries.restore(saved.draws.retries)
      draws.chaos.restore(saved.draws.chaos)
      log.restore(saved.log)
      deliveryChaos.restore(saved.chaos)
      for (const [id, ms] of saved.waits) deliverer.deliver(log.get(id), ms)
    },
  }
}
