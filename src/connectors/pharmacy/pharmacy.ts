import type { PriorAuthorization } from '../../resources/prior-authorization.ts'
import type { Written } from '../written.ts'

/** The dispensing pharmacy's system. Failures are `PharmacyWriteFailed`. */
export interface Pharmacy {
  /** Tells the pharmacy how the PA's prescription transfer stands. The same state twice carries the same id, so that the receiver can drop the copy. */
  putPrescriptionTransfer(priorAuthorization: PriorAuthorization): Promise<Written[]>
}
