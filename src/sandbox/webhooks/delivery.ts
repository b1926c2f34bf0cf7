import type { SendingFault } from '../platform/chaos-settings.ts'

/** One attempt to deliver: the receiver's HTTP status, or why there was none. */
export interface DeliveryAttempt {
  /** Wall-clock time, ISO 8601. */
  at: string
  durationMs: number
  status?: number
  error?: string
}

/** One entry of the delivery log. */
export interface Delivery {
  id: number
  webhook: string
  organization: string
  /** One of `eventTypes`, unless chaos made one up. */
  eventType: string
  resourceId: string
  /** The faults that chaos put into it; a delivery that chaos added names the fault that added it. */
  chaos?: SendingFault[]
  /** The delivery that this one repeats. */
  copyOf?: number
  state: 'pending' | 'delivered' | 'given_up'
  attempts: DeliveryAttempt[]
  /** The exact bytes that every attempt sends. */
  body: string
}
