import type { PriorAuthorization } from '../../service/schemas/prior-authorization.ts'

/** The dispensing pharmacy's system. Failures are `PharmacyWriteFailed`. */
export interface Pharmacy {
  /** Tells the pharmacy how the PA's prescription transfer stands. A state that the pharmacy took is not told again; a notice keeps its id, number and time over retries, and a state that comes back has new ones. */
  putPrescriptionTransfer(priorAuthorization: PriorAuthorization): Promise<void>
}
