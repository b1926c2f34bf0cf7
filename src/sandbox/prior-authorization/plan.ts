import type { TransferErrorCode } from '../../resources/requests/mock-result.ts'
import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import type { Core } from '../core.ts'
import type { Organization } from '../organizations.ts'
import type { Random } from '../random.ts'
import { drawVerdict, usualDetailCode, type Verdict } from './outcome.ts'

/** What the way of a PA through its table depends on, decided at creation. */
export interface PriorAuthorizationPlan {
  verdict: Verdict
  /** False for training data, which stays `created`. */
  isProcessed: boolean
  isNonDelegated: boolean
  needsProvider: boolean
  needsValidation: boolean
  /** Validation sends the PA back to `awaiting_outcome` once. */
  isSentBack: boolean
  /** `mock_result.trigger_message`: the service team writes when the PA ends. */
  triggersMessage: boolean
  transferErrorCode: TransferErrorCode | null
  isTransferUnconfirmedFirst: boolean
}

/** Decides a PA's way: `mock_result` where there is one, else the clinical data's completeness, else chance. */
export function planPriorAuthorization(
  request: PriorAuthorizationRequest,
  organization: Organization,
  { detours }: Pick<Core, 'detours'>,
  random: Random,
): PriorAuthorizationPlan {
  const mock = request.mock_result
  return {
    verdict: verdictOf(request, random),
    isProcessed: request.is_training_data !== true,
    isNonDelegated: organization.workflow === 'non_delegated',
    needsProvider: random.chance(detours.awaitingProviderResponse),
    needsValidation: random.chance(detours.validatingOutcome),
    isSentBack: random.chance(0.5),
    triggersMessage: mock?.result === 'Other' && mock.trigger_message === true,
    transferErrorCode: (mock?.result === 'Approved' ? mock.prescription_transfer_error_code : undefined) ?? null,
    isTransferUnconfirmedFirst: random.chance(0.25),
  }
}

function verdictOf(request: PriorAuthorizationRequest, random: Random): Verdict {
  const mock = request.mock_result
  if (mock === undefined) return lacksClinicalData(request) ? incomplete : drawVerdict(random)
  const verdict: Verdict = { result: mock.result, detail_code: mock.detail_code ?? usualDetailCode[mock.result] }
  if (mock.result === 'Denied' && mock.client_code !== undefined) verdict.client_code = mock.client_code
  return verdict
}

const incomplete: Verdict = { result: 'Not Submitted', detail_code: 'more_information_required' }

/** Nothing that a reviewer could read (specification, States: missing information). */
function lacksClinicalData({ diagnoses, evidence, questionnaires, visit_notes }: PriorAuthorizationRequest): boolean {
  return [diagnoses, evidence, questionnaires, visit_notes].every((list) => list === undefined || list.length === 0)
}
