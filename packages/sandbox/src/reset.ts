import type { ForcedFailures } from './access/forced-failures.ts'
import type { Organizations } from './access/organizations.ts'
import type { RateLimits } from './access/rate-limits.ts'
import type { ChaosDial } from './platform/chaos-settings.ts'
import { control, type Control } from './platform/control.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Store } from './platform/store.ts'
import type { RequestLog } from './requests/request-log.ts'
import type { Deliverer } from './webhooks/deliverer.ts'
import type { DeliveryLog } from './webhooks/delivery-log.ts'
import type { EventLog } from './webhooks/event-log.ts'

export interface ResetControl {
  /** Deletes resources, scheduled transitions, logged deliveries and requests, planned failures and rate-limit windows, and switches chaos off. Organizations, webhooks, quotas, tokens and the clock stay. */
  reset(): void
}

/** Kinds of record that a reset keeps: revoked tokens stay revoked. */
const survivingKinds = ['revoked_token']

export function createReset(deps: {
  store: Pick<Store, 'clear'>
  schedule: Pick<Schedule, 'clearAll'>
  deliverer: Pick<Deliverer, 'forget'>
  log: Pick<DeliveryLog, 'clear'>
  events: Pick<EventLog, 'clear'>
  requests: Pick<RequestLog, 'clear'>
  failures: Pick<ForcedFailures, 'clear'>
  limits: Pick<RateLimits, 'reset'>
  organizations: Pick<Organizations, 'list'>
  chaos: Pick<ChaosDial, 'set'>
}): ResetControl['reset'] {
  const { store, schedule, deliverer, log, events, requests, failures, limits, organizations, chaos } = deps
  return () => {
    // Stop transitions and deliveries before their resources go.
    schedule.clearAll()
    deliverer.forget()
    log.clear()
    events.clear()
    requests.clear()
    store.clear(survivingKinds)
    for (const { id } of organizations.list()) {
      failures.clear(id)
      limits.reset(id)
    }
    chaos.set('off')
  }
}

export const resetRoutes = ({ reset }: ResetControl): Control[] => [
  control('POST /reset', { summary: 'Delete all cases, deliveries, requests and planned failures' }, () => {
    reset()
  }),
]
