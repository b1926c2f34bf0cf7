import type { PriorAuthorization } from '../service/schemas/prior-authorization.ts'

/** NCPDP id of the pharmacy where the prescription went last; before the first attempt, of the one where it is wanted. */
export function dispensingPharmacyNcpdpId(priorAuthorization: PriorAuthorization): string | undefined {
  const tried = priorAuthorization.prescription_transfer?.transfer_attempts?.at(-1)?.pharmacy_ncpdp_id
  const candidates = [tried, priorAuthorization.ndp_submission?.preferred_pharmacy_ncpdp_id]
  return candidates.find((id) => id !== undefined && id.trim() !== '')
}
