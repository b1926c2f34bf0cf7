import type { SendingFault } from '../platform/chaos-settings.ts'

/** One delivery attempt: the receiver's HTTP status, or the error. */
export interface DeliveryAttempt {
  /** Wall-clock time, ISO 8601. */
  at: string
  durationMs: number
  status?: number
  /** Headers sent, signature included; absent if no request was sent. */
  headers?: Record<string, string>
  error?: string
}

export const deliveryStates = ['pending', 'delivered', 'given_up'] as const

/** One entry of the delivery log. */
export interface Delivery {
  id: number
  webhook: string
  organization: string
  /** One of `eventTypes`, unless chaos invented one. */
  eventType: string
  resourceId: string
  /** Faults injected by chaos; a delivery added by chaos names the fault that added it. */
  chaos?: SendingFault[]
  /** Id of the delivery that this one repeats. */
  copyOf?: number
  state: (typeof deliveryStates)[number]
  attempts: DeliveryAttempt[]
  /** The exact bytes that every attempt sends. */
  body: string
}
