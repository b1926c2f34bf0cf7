import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import { hours, minutes, type Row } from '../platform/machine.ts'

export type PriorAuthorizationCondition =
  | 'isProcessed'
  | 'isNonDelegated'
  | 'isAutoReviewed'
  | 'awaitsProvider'
  | 'wasProcessing'
  | 'needsProvider'
  | 'needsValidation'
  | 'isSentBack'
  | 'endsNotSubmitted'
  | 'endsFailed'

const running: readonly PriorAuthorizationStatus[] = [
  'created',
  'processing',
  'awaiting_review',
  'awaiting_outcome',
  'awaiting_provider_response',
  'validating_outcome',
]

/** The transitions of a PA (specification, States; supplement, Statuses). Delays without a documented duration are guesses. */
export const priorAuthorizationRows: readonly Row<PriorAuthorizationStatus, PriorAuthorizationCondition>[] = [
  { from: 'created', to: 'processing', after: minutes(1, 10), when: 'isProcessed', isRule: true },
  { from: 'processing', to: 'awaiting_provider_response', after: minutes(10, 30), when: 'awaitsProvider' },
  { from: 'processing', to: 'not_submitted', after: minutes(30, 120), when: 'endsNotSubmitted' },
  { from: 'processing', to: 'awaiting_review', after: minutes(30, 120), when: 'isNonDelegated', isRule: true },
  { from: 'processing', to: 'awaiting_outcome', after: hours(1, 4) },
  { from: 'awaiting_review', to: 'awaiting_outcome', after: hours(1, 8), when: 'isAutoReviewed' },
  { from: 'awaiting_outcome', to: 'awaiting_provider_response', after: hours(2, 12), when: 'needsProvider' },
  { from: 'awaiting_provider_response', to: 'processing', after: hours(4, 24), when: 'wasProcessing' },
  { from: 'awaiting_provider_response', to: 'awaiting_outcome', after: hours(4, 24) },
  { from: 'awaiting_outcome', to: 'validating_outcome', after: hours(6, 24), when: 'needsValidation' },
  { from: 'validating_outcome', to: 'awaiting_outcome', after: hours(1, 6), when: 'isSentBack' },
  { from: 'validating_outcome', to: 'not_submitted', after: hours(1, 6), when: 'endsNotSubmitted' },
  { from: 'validating_outcome', to: 'failed', after: hours(1, 6), when: 'endsFailed' },
  { from: 'validating_outcome', to: 'completed', after: hours(1, 6) },
  { from: 'awaiting_outcome', to: 'not_submitted', after: hours(12, 48), when: 'endsNotSubmitted' },
  { from: 'awaiting_outcome', to: 'failed', after: hours(12, 48), when: 'endsFailed' },
  { from: 'awaiting_outcome', to: 'completed', after: hours(12, 48) },
  { from: 'awaiting_review', to: 'not_submitted' },
  { from: 'awaiting_provider_response', to: 'not_submitted' },
  { from: 'created', to: 'failed', when: 'isProcessed', isRule: true },
  ...running.slice(1).map((from) => ({ from, to: 'failed' as const })),
  ...running.map((from) => ({ from, to: 'cancelled' as const })),
]
