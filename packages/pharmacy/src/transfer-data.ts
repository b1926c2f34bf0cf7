import { type PriorAuthorization, transferErrorCode } from 'pawl-client/schemas/prior-authorization'
import { dispensingPharmacyNcpdpId } from 'pawl-client/schemas/dispensing-pharmacy'
import type { TransferData } from './transfer-notice.ts'

/** Data for a pharmacy that lost the transfer: only the ids of the PA. */
export function supersededData(priorAuthorization: PriorAuthorization, ncpdpId: string): TransferData {
  const { id, status, ndp_submission } = priorAuthorization
  return { ...transferData({ id, status, ndp_submission }), status: 'superseded', pharmacy_ncpdp_id: ncpdpId }
}

/**
 * The part of a PA that a pharmacy may see. Of the patient: name, birth date and telephone number, by which a dispensing pharmacy matches an
 * arriving prescription and calls. Of the PA: its result and the period of approval. Address, insurance, diagnosis, evidence and all free text
 * except the directions stay out.
 */
export function transferData(priorAuthorization: PriorAuthorization): TransferData {
  const { id, prescription_transfer: transfer, prescription, patient, provider, outcome } = priorAuthorization
  return {
    prior_authorization_id: id,
    prescription_message_id: priorAuthorization.ndp_submission?.prescription_message_id ?? null,
    status: transfer?.status ?? null,
    confirmed: transfer?.confirmed ?? null,
    error_code: transferErrorCode(transfer) ?? null,
    pharmacy_ncpdp_id: dispensingPharmacyNcpdpId(priorAuthorization) ?? null,
    transfer_attempts: (transfer?.transfer_attempts ?? []).map(({ timestamp, pharmacy_ncpdp_id }) => ({
      timestamp: timestamp ?? null,
      pharmacy_ncpdp_id: pharmacy_ncpdp_id ?? null,
    })),
    confirmation_attempts: (transfer?.confirmation_attempts ?? []).map((attempt) => ({
      timestamp: attempt.timestamp ?? null,
      outcome: attempt.outcome ?? null,
    })),
    prescription: {
      drug_name: prescription?.drug_name ?? null,
      strength: prescription?.strength ?? null,
      dose_form: prescription?.dose_form ?? null,
      route_of_administration: prescription?.route_of_administration ?? null,
      ndc: prescription?.ndc ?? null,
      quantity: prescription?.quantity ?? null,
      quantity_unit_of_measure: prescription?.quantity_unit_of_measure ?? null,
      days_supply: prescription?.days_supply ?? null,
      directions: prescription?.directions ?? null,
      prescription_date: prescription?.prescription_date ?? null,
    },
    provider: {
      first_name: provider?.first_name ?? null,
      last_name: provider?.last_name ?? null,
      npi: provider?.npi ?? null,
    },
    patient: {
      first_name: patient?.first_name ?? null,
      last_name: patient?.last_name ?? null,
      date_of_birth: patient?.date_of_birth ?? null,
      phone: patient?.phone ?? null,
    },
    outcome: {
      result: outcome?.result ?? null,
      detail_code: outcome?.detail_code ?? null,
      authorization_start_date: outcome?.authorization_start_date ?? null,
      authorization_expiration: outcome?.authorization_expiration ?? null,
    },
  }
}
