import type { BenefitVerification } from '../../resources/benefit-verification.ts'
import type { Message, PriorAuthorization } from '../../resources/prior-authorization.ts'

/** Why a PA waits for a person. */
export type StaffTaskReason = 'awaiting_review' | 'awaiting_provider_response' | 'more_information_required'

/** The customer's chart. Every method is an upsert: calling it again with the same resource changes nothing. Failures are `EhrWriteFailed`. */
export interface Ehr {
  /** The PA's state and its determination. */
  putPriorAuthorization(priorAuthorization: PriorAuthorization): Promise<void>
  /** One message of the PA's thread. */
  putMessage(priorAuthorization: PriorAuthorization, message: Message): Promise<void>
  /** What the BV found out, drug by drug. */
  putBenefitVerification(benefitVerification: BenefitVerification): Promise<void>
  /** The state of the PA's prescription transfer. */
  putPrescriptionTransfer(priorAuthorization: PriorAuthorization): Promise<void>
  /** Opens, or reopens, the one staff task of a PA that waits for a person. */
  openStaffTask(priorAuthorization: PriorAuthorization, reason: StaffTaskReason): Promise<void>
  /** Closes the PA's staff task if there is one. */
  closeStaffTask(priorAuthorization: PriorAuthorization): Promise<void>
}
