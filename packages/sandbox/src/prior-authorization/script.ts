import { type TransferErrorCode, transferErrorCodes } from 'pawl-client/schemas/outcome'
import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import type { Detours, Platform } from '../platform.ts'
import type { Organization } from '../access/organizations.ts'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'
import type { EligibilityFinding } from './eligibility.ts'
import type { BenefitsCheckResponse } from 'pawl-client/schemas/prior-authorization'
import { drawVerdict, usualDetailCode, type Verdict } from './pa-verdict.ts'

/** Decides a PA's path through its table; drawn at creation. Later checks may replace the verdict. */
export interface PriorAuthorizationScript {
  verdict: Verdict
  /** False for training data, which stays `created`. */
  isProcessed: boolean
  isNonDelegated: boolean
  needsProvider: boolean
  needsValidation: boolean
  /** Validation sends the PA back to `awaiting_outcome` once. */
  isSentBack: boolean
  /** `mock_result.trigger_message`: the service team sends a message when the PA ends. */
  sendsMessage: boolean
  transferErrorCode: TransferErrorCode | null
  isTransferUnconfirmedFirst: boolean
  isTransferAwaitingProvider: boolean
  isTransferRetried: boolean
  /** NCPDP id of the pharmacy that a control's push named for the attempt. */
  pushedPharmacy?: string
  /** A control's response for the next benefits check. */
  pushedBenefits?: Partial<BenefitsCheckResponse>
  /** The Medicare GLP-1 bridge allows no appeals (specification, Endpoint rules). */
  isBridged: boolean
  eligibility: EligibilityFinding
  /** Whether processing waits for the BV that the PA triggered. */
  awaitsVerification: boolean
  /** Identifies the plan named in `insurance_content`; null without one. */
  planKey: string | null
}

/** Decides a PA's path: by test values, else `mock_result`, else missing clinical data, else chance. */
export function decidePriorAuthorization(
  request: PriorAuthorizationRequest,
  organization: Organization,
  { detours }: Pick<Platform, 'detours'>,
  random: Random,
): PriorAuthorizationScript {
  const mock = request.mock_result
  const verdict = verdictOf(request, random)
  return {
    verdict,
    isProcessed: request.is_training_data !== true,
    isNonDelegated: organization.workflow === 'non_delegated',
    needsProvider: random.chance(detours.awaitingProviderResponse),
    needsValidation: random.chance(detours.validatingOutcome),
    isSentBack: random.chance(0.5),
    sendsMessage: mock?.result === 'Other' && mock.trigger_message === true,
    isTransferUnconfirmedFirst: random.chance(0.25),
    // Forked, so a transfer does not change other draws.
    ...decideTransfer(mock, detours, random.fork('transfer')),
    isBridged: request.insurance_content?.plan_name === testValues.medicareBridge,
    eligibility: eligibilityOf(request, verdict),
    awaitsVerification: false,
    planKey: planKeyOf(request),
  }
}

/** Decides a transfer's path. With `mock_result`, only that decides whether it fails; without it, chance does. */
function decideTransfer(mock: PriorAuthorizationRequest['mock_result'], detours: Detours, random: Random) {
  const mocked = mock?.result === 'Approved' ? mock.prescription_transfer_error_code : undefined
  const isFailing = random.chance(detours.transferError)
  const drawn = random.pick(transferErrorCodes)
  const transferErrorCode = mock === undefined && isFailing ? drawn : (mocked ?? null)
  const isWell = transferErrorCode === null
  return {
    transferErrorCode,
    isTransferAwaitingProvider: random.chance(detours.transferAwaitingProvider) && isWell,
    isTransferRetried: random.chance(detours.transferRetry) && isWell,
  }
}

/** Whether the prescription's drug is a test value, by name or NDC. */
export function isTestDrug(
  prescription: PriorAuthorizationRequest['prescription'],
  [name, ndc]: readonly [name: string, ndc: string],
): boolean {
  return 'ndc' in prescription ? digits(prescription.ndc) === digits(ndc) : prescription.drug_name === name
}

/** Equal for requests that name the same insurance plan. */
export function planKeyOf({ insurance_content: content }: PriorAuthorizationRequest): string | null {
  const { rx_bin, payer_name, plan_name } = content ?? {}
  if (rx_bin === undefined && payer_name === undefined && plan_name === undefined) return null
  return JSON.stringify([rx_bin, payer_name, plan_name])
}

function verdictOf(request: PriorAuthorizationRequest, random: Random): Verdict {
  const mock = request.mock_result
  if (isTestDrug(request.prescription, testValues.formularyAlternative))
    return { result: 'Not Submitted', detail_code: 'formulary_alternative_required' }
  if (mock === undefined) return lacksClinicalData(request) ? incomplete : drawVerdict(random)
  const verdict: Verdict = { result: mock.result, detail_code: mock.detail_code ?? usualDetailCode[mock.result] }
  if (mock.result === 'Denied' && mock.client_code !== undefined) verdict.client_code = mock.client_code
  return verdict
}

function eligibilityOf({ ndp_submission }: PriorAuthorizationRequest, { detail_code }: Verdict): EligibilityFinding {
  const message = ndp_submission?.prescription_message_id ?? ''
  if (detail_code === 'eligibility_check_error' || message.startsWith(testValues.eligibilityError)) return 'error'
  const isGovernment =
    detail_code === 'eligibility_check_government_plan' || message.startsWith(testValues.governmentPlan)
  return isGovernment ? 'government_plan' : 'eligible'
}

const incomplete: Verdict = { result: 'Not Submitted', detail_code: 'more_information_required' }

/** Whether the request lacks any clinical content (specification, States: missing information). */
function lacksClinicalData({ diagnoses, evidence, questionnaires, visit_notes }: PriorAuthorizationRequest): boolean {
  return [diagnoses, evidence, questionnaires, visit_notes].every((list) => list === undefined || list.length === 0)
}

const digits = (ndc: string) => ndc.replaceAll('-', '')
