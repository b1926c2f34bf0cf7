import type { SendingFault } from '../platform/chaos-settings.ts'

/** One attempt to deliver: the receiver's HTTP status, or why there was none. */
export interface DeliveryAttempt {
  /** Wall-clock time, ISO 8601. */
  at: string
  durationMs: number
  status?: number
  /** What was sent beside the body, the signature included; absent where nothing was sent. */
  headers?: Record<string, string>
  error?: string
}

export const deliveryStates = ['pending', 'delivered', 'given_up'] as const

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
  state: (typeof deliveryStates)[number]
  attempts: DeliveryAttempt[]
  /** The exact bytes that every attempt sends. */
  body: string
}
