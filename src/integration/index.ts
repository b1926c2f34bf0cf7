import benefitVerificationToEhr from '../../templates/benefit-verification-to-ehr/handler.ts'
import prescriptionTransferToPharmacy from '../../templates/prescription-transfer-to-pharmacy/handler.ts'
import priorAuthorizationToEhr from '../../templates/prior-authorization-to-ehr/handler.ts'
import staffTaskForPriorAuthorization from '../../templates/staff-task-for-prior-authorization/handler.ts'
import type { AnyHandler } from '../work/handler.ts'

/** The active handlers. To change one, copy its template into this folder and change the import. */
export const handlers: readonly AnyHandler[] = [
  priorAuthorizationToEhr,
  benefitVerificationToEhr,
  prescriptionTransferToPharmacy,
  staffTaskForPriorAuthorization,
]
