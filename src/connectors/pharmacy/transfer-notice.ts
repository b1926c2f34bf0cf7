import { createHash } from 'node:crypto'
import { type PriorAuthorization, transferErrorCode } from '../../resources/prior-authorization.ts'
import { dispensingPharmacyNcpdpId } from '../dispensing-pharmacy.ts'

/** What a pharmacy is told of one transfer; absent values are null. */
export interface TransferNotice {
  /** The same for the same state of the same transfer, so that the receiver can drop the copy. */
  id: string
  type: 'prescription_transfer.updated'
  data: TransferData
}

export type TransferData = ReturnType<typeof transferData>

/** The notice of how a PA's transfer stands; absent where there is no transfer. */
export function toTransferNotice(priorAuthorization: PriorAuthorization): TransferNotice | undefined {
  if (priorAuthorization.prescription_transfer === undefined) return undefined
  const data = transferData(priorAuthorization)
  // The PA's id is part of the data, whose fields always come in the order in which they are built.
  const hash = createHash('sha256').update(JSON.stringify(data)).digest('hex')
  return { id: `msg_${hash.slice(0, 32)}`, type: 'prescription_transfer.updated', data }
}

/**
 * Name and birth date are what a dispensing pharmacy matches an arriving prescription with, beside the drug; nothing more of the patient
 * leaves the house: no address, no insurance, no diagnosis, no outcome.
 */
function transferData(priorAuthorization: PriorAuthorization) {
  const { id, prescription_transfer: transfer, prescription, patient } = priorAuthorization
  return {
    prior_authorization_id: id,
    status: transfer?.status ?? null,
    confirmed: transfer?.confirmed ?? null,
    error_code: transferErrorCode(transfer) ?? null,
    pharmacy_ncpdp_id: dispensingPharmacyNcpdpId(priorAuthorization) ?? null,
    transfer_attempts: (transfer?.transfer_attempts ?? []).map(({ timestamp, pharmacy_ncpdp_id }) => ({
      timestamp: timestamp ?? null,
      pharmacy_ncpdp_id: pharmacy_ncpdp_id ?? null,
    })),
    confirmation_attempts: (transfer?.confirmation_attempts ?? []).map(({ timestamp, outcome }) => ({
      timestamp: timestamp ?? null,
      outcome: outcome ?? null,
    })),
    prescription: {
      drug_name: prescription?.drug_name ?? null,
      strength: prescription?.strength ?? null,
      dose_form: prescription?.dose_form ?? null,
      ndc: prescription?.ndc ?? null,
      quantity: prescription?.quantity ?? null,
      quantity_unit_of_measure: prescription?.quantity_unit_of_measure ?? null,
      directions: prescription?.directions ?? null,
    },
    patient: {
      first_name: patient?.first_name ?? null,
      last_name: patient?.last_name ?? null,
      date_of_birth: patient?.date_of_birth ?? null,
    },
  }
}
