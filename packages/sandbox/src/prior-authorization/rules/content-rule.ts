import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import type { Organization } from '../../access/organizations.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Shelf } from '../../platform/store.ts'
import type { PrescriptionMessageRecord, PriorAuthorizationRecord } from '../record.ts'

/** Input of a rule. */
export interface Circumstances {
  request: PriorAuthorizationRequest
  organization: Organization
  priorAuthorizations: Shelf<PriorAuthorizationRecord>
  prescriptionMessages: Shelf<PrescriptionMessageRecord>
  /** Sandbox time, ms since 1970. */
  now: number
  /** Wall-clock milliseconds until a sandbox time; Infinity while time stands still. */
  wallMsUntil: (time: number) => number
  isActiveNpi: (npi: string) => boolean
  isAuthorized: (npi: string) => boolean
}

/** One rule of PA creation: returns its refusal, or undefined if the request complies. */
export type Rule = (about: Circumstances) => Refusal | undefined
