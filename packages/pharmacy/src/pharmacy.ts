import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'

/** The dispensing pharmacy's system. Failures are `PharmacyWriteFailed`. */
export interface Pharmacy {
  /** Sends the state of the PA's prescription transfer to the pharmacy, once for each state. A notice keeps its id, number and time over retries; a state that comes back gets new ones. */
  putPrescriptionTransfer(priorAuthorization: PriorAuthorization): Promise<void>
}
