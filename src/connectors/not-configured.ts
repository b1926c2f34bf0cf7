import { PawlError } from '../errors.ts'
import type { Ehr } from './ehr/ehr.ts'
import type { Pharmacy } from './pharmacy/pharmacy.ts'

/** A handler wants to write to a system that the settings do not name; its work parks until they do. */
export class ConnectorNotConfigured extends PawlError {
  readonly code = 'connector_not_configured'

  constructor(setting: string) {
    super(
      `Set ${setting}, or take the handlers that write there out of src/integration/index.ts; then release the parked work.`,
    )
  }
}

const refuse = (setting: string) => () => Promise.reject(new ConnectorNotConfigured(setting))

/** Stands in for the chart where production has none: nothing is ever written to nowhere. */
export function createMissingEhr(): Ehr {
  const missing = refuse('FHIR_BASE_URL')
  return {
    putPriorAuthorization: missing,
    putMessage: missing,
    putBenefitVerification: missing,
    putPrescriptionTransfer: missing,
    openStaffTask: missing,
    closeStaffTask: missing,
  }
}

/** Stands in for the pharmacy where production has none. */
export function createMissingPharmacy(): Pharmacy {
  return { putPrescriptionTransfer: refuse('PHARMACY_URL') }
}
