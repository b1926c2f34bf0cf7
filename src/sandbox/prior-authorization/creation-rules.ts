import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import { codedRefusal, type Refusal } from '../errors.ts'
import { isTerminal } from '../machine/prior-authorization.ts'
import type { Organization } from '../organizations.ts'
import type { Store } from '../store.ts'

type Rule = (request: PriorAuthorizationRequest, organization: Organization, store: Store) => Refusal | undefined

/** The rules that a schema cannot state, in the order in which they are tried (specification, Endpoint rules). */
const rules: readonly Rule[] = [referencedRequestHasEnded, exceptionFollowsApproval]

/** Throws the refusal of the first rule that the request breaks. */
export function checkCreation(request: PriorAuthorizationRequest, organization: Organization, store: Store): void {
  for (const rule of rules) {
    const refusal = rule(request, organization, store)
    if (refusal !== undefined) throw refusal
  }
}

function referencedRequestHasEnded(
  request: PriorAuthorizationRequest,
  organization: Organization,
  store: Store,
): Refusal | undefined {
  const id = request.resubmission_info?.previous_prior_auth_request_id
  if (id === undefined) return undefined
  const previous = store.findOwn('prior_authorization', id, organization.id)
  // What an unknown reference is answered with is not shown.
  if (previous === undefined)
    return codedRefusal(404, {
      title: 'Not found',
      description: 'The previous prior authorization request does not exist.',
      code: 'not_found',
    })
  if (isTerminal(previous.resource.status)) return undefined
  return codedRefusal(409, {
    title: 'Previous request in progress',
    description: 'The previous prior authorization request is still in progress.',
    code: 'previous_pa_request_in_progress',
    existing_prior_auth_request_id: id,
  })
}

function exceptionFollowsApproval(
  request: PriorAuthorizationRequest,
  _organization: Organization,
  store: Store,
): Refusal | undefined {
  const { resubmission_info: info } = request
  const reason = request.quantity_limit_exception_reason ?? info?.quantity_limit_exception_reason
  if (reason === undefined) return undefined
  const previous = info && store.find('prior_authorization', info.previous_prior_auth_request_id)
  const outcome = previous?.resource.outcome
  if (outcome?.result === 'Approved' || outcome?.detail_code === 'prior_auth_not_required') return undefined
  return codedRefusal(400, {
    title: 'Invalid quantity limit exception',
    description: 'A quantity limit exception needs a previous request that was approved or not required.',
    code: 'invalid_qle_resubmission',
  })
}
