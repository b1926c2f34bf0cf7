import type { BenefitVerificationCondition, BenefitVerificationStatus } from '../benefit-verification/states.ts'
import type { ClinicalQualificationState } from '../clinical-qualification/states.ts'
import type { PaStatusCondition, PaStatusState } from '../pa-status/states.ts'
import type { BenefitsCheckState } from '../prior-authorization/benefits-check-states.ts'
import type { PriorAuthorizationCondition, PriorAuthorizationStatus } from '../prior-authorization/states.ts'
import type { publicStatus, TransferCondition, TransferState } from '../prior-authorization/transfer-states.ts'
import type { ProviderAuthorizationState } from '../provider/states.ts'
import type { OutreachCondition, OutreachSequenceState, OutreachState } from '../provider-outreach/states.ts'

/** What each status of a PA means (specification, States; supplement, Statuses). */
export const priorAuthorizationMeanings: Record<PriorAuthorizationStatus, string> = {
  created: 'accepted, and nothing done yet',
  processing: 'being checked and prepared for the payer',
  awaiting_review: 'a reviewer of the client must look at it; only in organizations that are not delegated',
  awaiting_outcome: 'submitted; the payer has not answered',
  awaiting_provider_response: 'the prescriber must supply something',
  validating_outcome: 'an answer of the payer is being checked; the PA still runs',
  completed: 'ended with an answer of the payer, or needed none; see `outcome`',
  failed: 'ended without an answer that decides; see `outcome`',
  not_submitted: 'ended before it reached the payer; see `outcome` for what to change',
  cancelled: 'ended by the client',
}

export const priorAuthorizationConditions: Record<PriorAuthorizationCondition, string> = {
  isProcessed: 'it is no training data',
  isNonDelegated: 'the organization is not delegated',
  isAutoReviewed: 'the sandbox reviews in place of the organization',
  awaitsProvider: 'provider outreach runs: the prescriber is asked before the PA is submitted',
  wasProcessing: 'the prescriber was asked before the PA was submitted',
  needsProvider: 'the payer asks for something of the prescriber',
  needsValidation: 'the answer of the payer has to be checked',
  isSentBack: 'the answer turns out not to hold',
  endsNotSubmitted: 'the outcome is `Not Submitted`',
  endsFailed: 'the outcome is `Other`, and decides nothing',
}

/** What each status of a BV means (specification, States; supplement, Statuses). */
export const benefitVerificationMeanings: Record<BenefitVerificationStatus, string> = {
  pending: 'the payer is being asked',
  completed: 'each drug has its result',
  failed: 'nothing could be found out; see `error`',
  cancelled: 'ended by the client; no event tells of it',
}

export const benefitVerificationConditions: Record<BenefitVerificationCondition, string> = {
  failsInRealTime: 'in real time: something prevents it',
  isRealTime: 'in real time: the payer answers',
  fails: 'something prevents it',
}

/** What each `prescription_transfer.status` means (supplement, Statuses). */
export const transferMeanings: Record<(typeof publicStatus)[TransferState], string> = {
  in_progress: 'on its way to the pharmacy, or not yet confirmed',
  awaiting_provider_response: 'the prescriber must supply something',
  completed: 'the pharmacy has the prescription',
  error: 'ended without a pharmacy; see `error_code`',
  cancelled: 'ended by the client',
}

/** What each step of a transfer means; several of them show one status. */
export const transferSteps: Record<TransferState, string> = {
  waiting: 'nothing was sent yet',
  attempted: 'sent to the pharmacy',
  awaiting_provider_response: transferMeanings.awaiting_provider_response,
  reattempted: 'sent once more',
  unconfirmed: 'the pharmacy does not confirm',
  confirmed: 'the pharmacy confirms',
  completed: transferMeanings.completed,
  error: transferMeanings.error,
  cancelled: transferMeanings.cancelled,
}

export const transferConditions: Record<TransferCondition, string> = {
  isRefused: 'the pharmacy cannot take the prescription',
  timesOut: 'no answer arrives in time',
  isUnconfirmedFirst: 'the first confirmation fails',
  isNeverConfirmed: 'no confirmation succeeds',
}

export const benefitsCheckMeanings: Record<BenefitsCheckState, string> = {
  waiting: 'the check was not made yet',
  completed: 'the response is on the PA, and an event was sent',
  stopped: 'the check is not made any more',
}

export const clinicalQualificationMeanings: Record<ClinicalQualificationState, string> = {
  pending: 'every result is `pending`',
  evaluated: 'each drug has its result',
}

/** What each status of a status check means; unreleased (supplement, Other endpoints). */
export const paStatusMeanings: Record<PaStatusState, string> = {
  pending: 'the payer is being asked',
  completed: 'what was found is there, even if it is nothing',
  failed: 'the payer could not be asked; see `failure_reason`',
}

export const paStatusConditions: Record<PaStatusCondition, string> = {
  fails: 'the payer cannot be asked',
  isInstant: 'the payer answers at once',
}

/** What each state of an outreach attempt means; beta (supplement, Webhooks). */
export const outreachMeanings: Record<OutreachState, string> = {
  created: 'to be sent',
  sent: 'on its way',
  delivered: 'it arrived',
  responded: 'the prescriber answered',
  expired: 'no answer came in time; the PA goes on',
  failed: 'it could not be sent; the PA goes on',
  cancelled: 'no longer needed',
}

export const outreachConditions: Record<OutreachCondition, string> = {
  cannotBeSent: 'the number does not work',
  isAnswered: 'the prescriber answers',
}

/** What each state of the attempts together means; beta (supplement, Webhooks). */
export const outreachSequenceMeanings: Record<OutreachSequenceState, string> = {
  in_progress: 'at least one attempt runs',
  completed: 'the prescriber answered',
  exhausted: 'every attempt ended without an answer',
  cancelled: 'no longer needed',
}

export const providerAuthorizationMeanings: Record<ProviderAuthorizationState, string> = {
  initiated: 'the provider was asked to sign',
  signed: 'the provider is listed among the authorized ones',
}

/** The meanings in one sentence. */
export function meaningsIn(meanings: Record<string, string>): string {
  const all = Object.entries(meanings).map(([state, meaning]) => `\`${state}\`: ${meaning}`)
  return `${all.join('; ')}.`
}
