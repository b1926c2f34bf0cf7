import { transferMeanings } from 'pawl-client/schemas/prior-authorization'
import type { BenefitVerificationCondition } from '../benefit-verification/states.ts'
import type { ClinicalQualificationState } from '../clinical-qualification/states.ts'
import type { PaStatusCondition } from '../pa-status/states.ts'
import type { BenefitsCheckState } from '../prior-authorization/benefits-check-states.ts'
import { priorAuthorizationRules } from '../prior-authorization/rule-against.ts'
import type { PriorAuthorizationCondition } from '../prior-authorization/states.ts'
import type { TransferCondition, TransferState } from '../prior-authorization/transfer-states.ts'
import type { ProviderAuthorizationState } from '../provider/states.ts'
import type { OutreachCondition } from '../provider-outreach/states.ts'

export const priorAuthorizationConditions: Record<PriorAuthorizationCondition, string> = {
  ...priorAuthorizationRules,
  isAutoReviewed: 'the sandbox reviews in place of the organization',
  awaitsProvider: 'provider outreach contacts the prescriber before the PA is submitted',
  wasProcessing: 'the prescriber was contacted before the PA was submitted',
  needsProvider: 'the payer needs information from the prescriber',
  needsValidation: "the payer's answer needs validation",
  isSentBack: "validation rejects the payer's answer",
  endsNotSubmitted: 'the outcome is `Not Submitted`',
  endsFailed: 'the outcome is `Other`, without a decision',
}

export const benefitVerificationConditions: Record<BenefitVerificationCondition, string> = {
  failsInRealTime: 'in real time: something prevents it',
  isRealTime: 'in real time: the payer answers',
  fails: 'something prevents it',
}

/** Meanings of a transfer's steps; several share one public status. */
export const transferSteps: Record<TransferState, string> = {
  waiting: 'not sent yet',
  attempted: 'sent to the pharmacy',
  awaiting_provider_response: transferMeanings.awaiting_provider_response,
  reattempted: 'sent again',
  unconfirmed: 'the pharmacy does not confirm',
  confirmed: 'the pharmacy confirms',
  completed: transferMeanings.completed,
  error: transferMeanings.error,
  cancelled: transferMeanings.cancelled,
}

export const transferConditions: Record<TransferCondition, string> = {
  isRefused: 'the pharmacy cannot take the prescription',
  awaitsProvider: 'the pharmacy needs information from the prescriber',
  isRetried: 'no answer arrives in time',
  fails: 'no attempt succeeds',
  isUnconfirmedFirst: 'the first confirmation fails',
  isNeverConfirmed: 'no confirmation succeeds',
}

export const benefitsCheckMeanings: Record<BenefitsCheckState, string> = {
  waiting: 'the check has not run yet',
  completed: 'the response is on the PA, and an event was sent',
  stopped: 'the check will not run',
}

export const clinicalQualificationMeanings: Record<ClinicalQualificationState, string> = {
  pending: 'every result is `pending`',
  evaluated: 'each drug has its result',
}

export const paStatusConditions: Record<PaStatusCondition, string> = {
  fails: 'the payer cannot be asked',
  isInstant: 'the payer answers immediately',
}

export const outreachConditions: Record<OutreachCondition, string> = {
  cannotBeSent: 'the number does not work',
  isAnswered: 'the prescriber answers',
}

export const providerAuthorizationMeanings: Record<ProviderAuthorizationState, string> = {
  initiated: 'the provider was asked to sign',
  signed: 'the provider is listed among the authorized ones',
}
