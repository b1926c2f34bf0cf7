import type { Progress } from '../platform/machine.ts'
import type { ResourceRecord, StoredRecord } from '../platform/store.ts'
import type { BenefitsCheckState } from './benefits-check-states.ts'
import { type PriorAuthorizationResource, type PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import type { PriorAuthorizationScript } from './script.ts'
import type { TransferState } from './transfer-states.ts'

export interface PriorAuthorizationRecord extends ResourceRecord<
  'prior_authorization',
  PriorAuthorizationResource,
  PriorAuthorizationScript,
  PriorAuthorizationStatus
> {
  /** Set once the transfer starts. */
  transfer?: Progress<TransferState>
  /** The transfer was cancelled before its start, and never starts. */
  isTransferCancelled?: true
  /** The real-time benefits check; set if the prescription was sent to the service. */
  benefitsCheck?: Progress<BenefitsCheckState>
  /** Sandbox time, ms since 1970. */
  createdAt: number
  /** Input for analytics: stored, never shown (specification, Endpoint rules). */
  cancellationReason?: string
  feedback: { category: string; message: string }[]
}

/** Links a prescription message to its PA. */
export interface PrescriptionMessageRecord extends StoredRecord {
  kind: 'prescription_message'
  priorAuthorizationId: string
}
