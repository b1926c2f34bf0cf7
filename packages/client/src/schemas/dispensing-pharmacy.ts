import type { PriorAuthorization } from './prior-authorization.ts'

/** NCPDP id of the pharmacy that the prescription went to last; before the first attempt, of the preferred one. */
export function dispensingPharmacyNcpdpId(priorAuthorization: PriorAuthorization): string | undefined {
  const tried = priorAuthorization.prescription_transfer?.transfer_attempts?.at(-1)?.pharmacy_ncpdp_id
  const candidates = [tried, priorAuthorization.ndp_submission?.preferred_pharmacy_ncpdp_id]
  return candidates.find((id) => id !== undefined && id.trim() !== '')
}
