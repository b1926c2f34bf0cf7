import benefitVerificationToEhr from './benefit-verification-to-ehr/handler.ts'
import lettersAndFaxesToEhr from './letters-and-faxes-to-ehr/handler.ts'
import messagesToEhr from './messages-to-ehr/handler.ts'
import prescriptionTransferToEhr from './prescription-transfer-to-ehr/handler.ts'
import prescriptionTransferToPharmacy from './prescription-transfer-to-pharmacy/handler.ts'
import priorAuthorizationToEhr from './prior-authorization-to-ehr/handler.ts'
import staffTaskForPriorAuthorization from './staff-task-for-prior-authorization/handler.ts'

/** The handlers that pawl ships and lists by default. */
export const shippedHandlers = [
  priorAuthorizationToEhr,
  messagesToEhr,
  lettersAndFaxesToEhr,
  benefitVerificationToEhr,
  prescriptionTransferToPharmacy,
  prescriptionTransferToEhr,
  staffTaskForPriorAuthorization,
]
