import type { Clock } from '../../clock.ts'
import type { Archive } from '../platform/archive.ts'
import { createSendingSide } from './unruly-sending.ts'
import type { ChaosDial } from '../chaos/settings.ts'
import { createDeliverer, type Deliverer } from './deliverer.ts'
import { createDeliveryLog, type DeliveryLog } from './delivery-log.ts'
import type { SandboxOptions } from '../options.ts'
import type { Organizations } from '../access/organizations.ts'
import type { Random } from '../platform/random.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/** Everything between an event and its receiver. */
export interface Sending {
  webhooks: Webhooks
  log: DeliveryLog
  deliverer: Deliverer
  /** Sends what the archive kept as pending. To be called once. */
  resume(): void
}

/** How webhooks are delivered where nothing else is said (specification, Events: the schedule is not shown). */
export const deliveryDefaults = {
  timeoutMs: 10_000,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  maxAttempts: 10,
  inFlight: 64,
  keep: 20_000,
}

/** Makes the sending side of the sandbox: events become deliveries, chaos may change them, the deliverer brings them. */
export function createSending(deps: {
  options: Pick<SandboxOptions, 'webhooks' | 'fetch'>
  organizations: Organizations
  chaos: ChaosDial
  archive: Archive
  random: Random
  clock: Clock
  changed: () => void
}): Sending {
  const { options, organizations, chaos, archive, random, clock, changed } = deps
  const settings = { ...deliveryDefaults, ...options.webhooks }
  const log = createDeliveryLog({ keep: settings.keep, archive })
  const deliverer = createDeliverer({
    settings,
    webhookOf: ({ organization, webhook }) => organizations.find(organization)?.webhooks.get(webhook),
    fetch: options.fetch ?? fetch,
    random: random.fork('deliveries'),
    clock,
    signsWrong: () => unruly.signsWrong(),
    attempted: (delivery) => {
      log.save(delivery)
      unruly.attempted(delivery)
    },
    changed,
  })
  const unruly = createSendingSide({
    chances: () => chaos.read().sending,
    random: random.fork('chaos/sending'),
    log,
    deliverer,
  })
  return {
    log,
    deliverer,
    webhooks: createWebhooks({ organizations, log, deliverer, send: unruly.send }),
    resume: () => {
      for (const delivery of log.list()) if (delivery.state === 'pending') deliverer.deliver(delivery)
    },
  }
}
