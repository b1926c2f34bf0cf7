import { type AnyDocument, readFields, type ResourceKind } from './kinds.ts'
import { isConcluded } from './prior-authorization.ts'

/** One action that people can take on a waiting resource. */
export interface StaffAction {
  name: 'review' | 'answer' | 'resubmit' | 'appeal' | 'cancel' | 'cancel_transfer' | 'verify_again'
  /** The operation of the service's API, or the place of the action. */
  operation: string
  /** What staff do, as the end of a sentence. */
  words: string
}

/** The actions that the service allows (specification, Endpoints; supplement, PA create). */
const actions = {
  review: { name: 'review', operation: "on the service's platform", words: "review it on the service's platform" },
  answer: {
    name: 'answer',
    operation: "the prescriber supplies the information requested in the PA's messages",
    words: 'have the prescriber answer what its messages ask',
  },
  resubmit: {
    name: 'resubmit',
    operation: 'POST /prior-authorization with resubmission_info: this id, and a note on the changes',
    words: 'send a corrected request',
  },
  appeal: {
    name: 'appeal',
    operation: 'POST /prior-authorization with resubmission_info: this id, and appeal_details with the letter',
    words: 'appeal by a letter',
  },
  cancel: { name: 'cancel', operation: 'POST /prior-authorization/{id}/cancel with a reason', words: 'cancel it' },
  cancelTransfer: {
    name: 'cancel_transfer',
    operation: 'POST /prior-authorization/{id}/prescription-transfer/cancel',
    words: 'cancel the transfer',
  },
  verifyAgain: {
    name: 'verify_again',
    operation: 'POST /benefit-verification with the corrected data',
    words: 'verify it again with corrected data',
  },
} as const satisfies Record<string, StaffAction>

/** Why a PA waits for people, by its status. */
const whileRunning = {
  awaiting_review: [actions.review, actions.cancel],
  awaiting_provider_response: [actions.answer, actions.cancel],
} as const satisfies Record<string, readonly StaffAction[]>

/** The `outcome.detail_code`s of a PA that a corrected or completed request may fix. */
const mendableCodes = [
  'more_information_required',
  'patient_consent_required',
  'formulary_alternative_required',
  'benefit_verification_only_alternative_medication_covered',
  'prescription_message_not_found',
  'eligibility_check_error',
  'eligibility_check_government_plan',
  'payer_unable_to_locate_member',
  'payer_reported_invalid_patient_info',
  'npi_taxonomy_ineligible',
] as const

const whenEnded: Record<string, readonly StaffAction[]> = {
  ...Object.fromEntries(mendableCodes.map((code) => [code, [actions.resubmit]])),
  denied: [actions.resubmit, actions.appeal],
  transfer_awaiting_provider_response: [actions.answer, actions.cancelTransfer],
  transfer_error: [actions.cancelTransfer],
}

const whenVerified: Record<string, readonly StaffAction[]> = {
  verification_failed: [actions.verifyAgain],
  patient_consent_required: [actions.verifyAgain],
}

/** Every reason for which a resource may wait for people. */
export const waitReasons: readonly string[] = [
  ...new Set([whileRunning, whenEnded, whenVerified].flatMap((each) => Object.keys(each))),
]

/** What staff are to do, by the reason: the start of a sentence. */
const tasks: Readonly<Record<string, string>> = {
  awaiting_review: 'Review the request',
  awaiting_provider_response: 'Have the prescriber answer the questions',
  more_information_required: 'Send the missing chart notes',
  patient_consent_required: "Get the patient's consent",
  formulary_alternative_required: 'Choose a drug of the formulary',
  benefit_verification_only_alternative_medication_covered: 'Choose a drug that the plan covers',
  prescription_message_not_found: 'Send the prescription again',
  eligibility_check_error: "Check the patient's coverage",
  eligibility_check_government_plan: 'Check the coverage: it is a government plan',
  payer_unable_to_locate_member: 'Correct the member number',
  payer_reported_invalid_patient_info: "Correct the patient's data",
  npi_taxonomy_ineligible: 'Name a prescriber whose specialty is eligible',
  denied: 'Decide whether to appeal or to correct the request',
  transfer_awaiting_provider_response: 'Have the prescriber answer about the transfer',
  transfer_error: 'See to the failed transfer',
  verification_failed: 'Correct the data and verify the benefits again',
}

/** What staff are to do for a resource that waits for this reason. */
export function taskFor(reason: string): string {
  return (Object.hasOwn(tasks, reason) ? tasks[reason] : undefined) ?? reason.replaceAll('_', ' ')
}

/** The actions that the service would accept now; none for an unknown reason. */
export function actionsFor(kind: ResourceKind, reason: string): readonly StaffAction[] {
  const byReason: Record<ResourceKind, Record<string, readonly StaffAction[]>> = {
    prior_authorization: { ...whileRunning, ...whenEnded },
    benefit_verification: whenVerified,
    provider_outreach: {},
  }
  return Object.hasOwn(byReason[kind], reason) ? (byReason[kind][reason] ?? []) : []
}

/** Why the resource waits for a person, as a code, and the resource that it replaces, by its document. The status comes first: while a PA runs, its outcome is a placeholder. */
export function readPersonWait(
  kind: ResourceKind,
  data: unknown,
): { waitsFor: string | undefined; followsUp: string | undefined } {
  const document = readFields(data, kind)
  const followsUp = document.resubmission_info?.previous_prior_auth_request_id ?? document.replaces
  if (kind === 'prior_authorization') return { waitsFor: waitingPriorAuthorization(document), followsUp }
  return { waitsFor: kind === 'benefit_verification' ? waitingVerification(document) : undefined, followsUp }
}

function waitingPriorAuthorization({ status, outcome, prescription_transfer: transfer }: AnyDocument) {
  if (status === undefined || Object.hasOwn(whileRunning, status)) return status
  if (!isConcluded(status)) return undefined
  const code = outcome?.detail_code
  if (mendableCodes.some((known) => known === code)) return code
  if (status !== 'completed') return undefined
  if (outcome?.result === 'Denied') return 'denied'
  if (transfer?.status === 'awaiting_provider_response' || transfer?.status === 'error')
    return `transfer_${transfer.status}`
  return undefined
}

function waitingVerification({ status, error }: AnyDocument): string | undefined {
  if (status !== 'failed') return undefined
  return error?.detail_code === 'patient_consent_required' ? 'patient_consent_required' : 'verification_failed'
}
