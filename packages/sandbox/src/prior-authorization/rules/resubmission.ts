import { isTerminal } from 'pawl-client/schemas/kinds'
import { isFillable } from 'pawl-client/schemas/outcome'
import { refuse } from '../../platform/refusal.ts'
import type { PriorAuthorizationRecord } from '../record.ts'
import type { Circumstances, Rule } from './content-rule.ts'

function previous({ request, organization, priorAuthorizations }: Circumstances): PriorAuthorizationRecord | undefined {
  const id = request.resubmission_info?.previous_prior_auth_request_id
  return id === undefined ? undefined : priorAuthorizations.findOwn(id, organization.id)
}

/** Rules of a request that refers to a previous PA (specification, Endpoint rules). */
export const resubmissionRules: readonly Rule[] = [
  // The error for an unknown reference is a choice.
  (about) =>
    about.request.resubmission_info !== undefined && previous(about) === undefined ? refuse('not_found') : undefined,
  (about) => {
    const record = previous(about)
    if (record === undefined || isTerminal('prior_authorization', record.resource.status)) return undefined
    return refuse('previous_pa_request_in_progress', { existing_prior_auth_request_id: record.id })
  },
  (about) => {
    const { quantity_limit_exception_reason: reason, resubmission_info: info } = about.request
    if ((reason ?? info?.quantity_limit_exception_reason) === undefined) return undefined
    const outcome = previous(about)?.resource.outcome
    // Approved, or not required according to the payer or to the triggered BV.
    const isFitting = isFillable(outcome) || outcome?.detail_code === 'benefit_verification_pa_not_required'
    return isFitting ? undefined : refuse('invalid_qle_resubmission')
  },
  (about) =>
    about.request.appeal_details !== undefined && previous(about)?.script.isBridged === true
      ? refuse('appeal_not_allowed')
      : undefined,
]
