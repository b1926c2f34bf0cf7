import { isTerminal } from 'pawl-client/schemas/kinds'
import { type PaStatusRequest, type FoundPriorAuthorization } from 'pawl-client/schemas/pa-status'
import type { PriorAuthorizationResource } from 'pawl-client/schemas/prior-authorization'

/** Whether a PA matches the check's patient, and one of its drugs if it names any. */
export function isAskedFor(request: PaStatusRequest, { patient, prescription }: PriorAuthorizationResource): boolean {
  const { drugs = [] } = request
  const isDrug = drugs.some((drug) =>
    'ndc' in drug
      ? 'ndc' in prescription && digits(prescription.ndc) === digits(drug.ndc)
      : 'drug_name' in prescription && prescription.drug_name.toLowerCase() === drug.name.toLowerCase(),
  )
  return patient.internal_id === request.patient.internal_id && (drugs.length === 0 || isDrug)
}

/** A PA in the normalized form. */
export function found({ status, outcome, prescription }: PriorAuthorizationResource): FoundPriorAuthorization {
  return {
    status: isTerminal('prior_authorization', status) ? ended[outcome.result] : 'in_progress',
    drug: 'ndc' in prescription ? { ndc: prescription.ndc } : { name: prescription.drug_name },
    authorization_start_date: outcome.authorization_start_date ?? null,
    authorization_expiration: outcome.authorization_expiration ?? null,
  }
}

const ended = {
  Approved: 'approved',
  Approval: 'approved',
  Denied: 'denied',
  'Not Submitted': 'other',
  Other: 'other',
  Pending: 'other',
} as const

const digits = (ndc: string) => ndc.replaceAll('-', '')
