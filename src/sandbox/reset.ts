import { Router } from 'express'
import type { ForcedFailures } from './access/forced-failures.ts'
import type { Organizations } from './access/organizations.ts'
import type { RateLimits } from './access/rate-limits.ts'
import type { ChaosDial } from './platform/chaos-settings.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Store } from './platform/store.ts'
import type { Deliverer } from './webhooks/deliverer.ts'
import type { DeliveryLog } from './webhooks/delivery-log.ts'
import type { EventLog } from './webhooks/event-log.ts'

/** The control that begins anew. */
export interface ResetControl {
  /** Forgets every resource, what is scheduled, deliveries, planned failures and rate-limit windows, and switches chaos off; organizations, webhooks, quotas, tokens and the clock stay. */
  reset(): void
}

/** Tokens that were revoked stay so. */
const kept = ['revoked_token']

/** Creates the control over the parts that forget. */
export function createReset(deps: {
  store: Pick<Store, 'clear'>
  schedule: Pick<Schedule, 'clearAll'>
  deliverer: Pick<Deliverer, 'forget'>
  log: Pick<DeliveryLog, 'clear'>
  events: Pick<EventLog, 'clear'>
  failures: Pick<ForcedFailures, 'clear'>
  limits: Pick<RateLimits, 'reset'>
  organizations: Pick<Organizations, 'list'>
  chaos: Pick<ChaosDial, 'set'>
}): ResetControl['reset'] {
  const { store, schedule, deliverer, log, events, failures, limits, organizations, chaos } = deps
  return () => {
    // First what would move a resource or send something, then what it is.
    schedule.clearAll()
    deliverer.forget()
    log.clear()
    events.clear()
    store.clear(kept)
    for (const { id } of organizations.list()) {
      failures.clear(id)
      limits.reset(id)
    }
    chaos.set('off')
  }
}

/** The same over HTTP. */
export function resetRoutes({ reset }: ResetControl): Router {
  const router = Router()
  router.post('/reset', (_req, res) => {
    reset()
    res.json({ status: 'success' })
  })
  return router
}
