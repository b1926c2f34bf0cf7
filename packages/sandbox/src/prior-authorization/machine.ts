import { isTerminal } from 'pawl-client/schemas/kinds'
import { isApproved, isFillable } from 'pawl-client/schemas/outcome'
import {
  isConcluded,
  type PriorAuthorizationStatus,
  type PriorAuthorizationResource,
} from 'pawl-client/schemas/prior-authorization'
import type { Platform } from '../platform.ts'
import type { Machine } from '../platform/machine.ts'
import { eligibilityDetail, eligibilityResponse, eligibilityStop } from './eligibility.ts'
import { addActivity, addMessage, type HistoryDeps } from './history.ts'
import { outcomeOf, pendingOutcome, statusOf } from './pa-verdict.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import { type PriorAuthorizationCondition, priorAuthorizationRows } from './states.ts'

type Resource = PriorAuthorizationResource

const staff = { first_name: 'Sandy', last_name: 'Reviewer', email: 'reviewer@sandbox.invalid' }

/** Non-terminal statuses that may show a detail code (supplement, Statuses). */
const revealing: ReadonlySet<PriorAuthorizationStatus> = new Set(['validating_outcome', 'awaiting_provider_response'])

/** Effects outside the PA's own table. */
interface Effects extends HistoryDeps {
  /** Called when a prescription transfer is due. */
  startTransfer: (record: PriorAuthorizationRecord) => void
  /** Whether a prescriber's answer is pending. */
  isProviderAsked: (record: PriorAuthorizationRecord) => boolean
  /** Called when the PA reached a terminal status. */
  ended: (record: PriorAuthorizationRecord) => void
}

/** Conditions and effects of the PA table. */
export function priorAuthorizationMachine(
  platform: Platform,
  effects: Effects,
): Machine<PriorAuthorizationRecord, PriorAuthorizationStatus, PriorAuthorizationCondition> {
  const { clock, emit, organizations } = platform

  return {
    name: 'prior_authorization',
    rows: priorAuthorizationRows,
    progressOf: (record) => record.progress,
    isSuspended: (record) => {
      const { script, progress } = record
      if (progress.state === 'awaiting_provider_response') return effects.isProviderAsked(record)
      return script.awaitsVerification && progress.state === 'processing'
    },
    detailOf: ({ script: { verdict } }, to) =>
      isConcluded(to) ? `${verdict.result}, ${verdict.detail_code}` : undefined,
    conditions: {
      isProcessed: ({ script }) => script.isProcessed,
      isNonDelegated: ({ script }) => script.isNonDelegated,
      isAutoReviewed: ({ organization }) => organizations.find(organization)?.manualReview === false,
      awaitsProvider: (record) => isFirstVisit(record, 'awaiting_provider_response') && effects.isProviderAsked(record),
      wasProcessing: ({ progress }) => progress.visited.at(-2) === 'processing',
      needsProvider: (record) => record.script.needsProvider && isFirstVisit(record, 'awaiting_provider_response'),
      needsValidation: (record) => record.script.needsValidation && isFirstVisit(record, 'validating_outcome'),
      isSentBack: ({ script }) => script.isSentBack,
      endsNotSubmitted: ({ script }) => statusOf(script.verdict) === 'not_submitted',
      endsFailed: ({ script }) => statusOf(script.verdict) === 'failed',
    },
    entered: (record, status) => {
      const { resource, script, organization } = record
      resource.status = status
      if (status === 'processing') checkEligibility(platform, record)
      if (isConcluded(status)) conclude(resource, record, clock.now())
      else resource.outcome = revealing.has(status) ? expectedOutcome(record, status, clock.now()) : pendingOutcome
      if (status === 'awaiting_outcome') submit(resource, script.isNonDelegated)
      if (status === 'completed' && isTransferDue(record)) effects.startTransfer(record)
      emit({ organization, type: 'prior_authorization.status_change', resource })
      if (status === 'awaiting_outcome' && record.progress.visited.filter((seen) => seen === status).length === 1)
        addActivity(effects, record, { type: 'sent_fax' })
      if (status === 'completed') addActivity(effects, record, { type: 'received_fax' })
      if (isConcluded(status) && script.sendsMessage)
        addMessage(effects, record, { content: 'Please call us about this request.', direction: 'received' })
      if (isTerminal('prior_authorization', status)) effects.ended(record)
    },
  }
}

function isFirstVisit({ progress }: PriorAuthorizationRecord, status: PriorAuthorizationStatus): boolean {
  return !progress.visited.includes(status)
}

/** Checks eligibility if the prescription was sent to the service (supplement, PA create). */
function checkEligibility({ random }: Platform, record: PriorAuthorizationRecord): void {
  const { id, resource, script } = record
  if (resource.ndp_submission === null) return
  resource.eligibility_check_response = eligibilityResponse(
    resource,
    script.eligibility,
    random.fork(`${id}/eligibility`),
    eligibilityDetail(resource),
  )
  script.verdict = eligibilityStop(resource, script.eligibility) ?? script.verdict
}

function submit(resource: Resource, isNonDelegated: boolean): void {
  resource.submitted_by = staff
  if (isNonDelegated) resource.reviewed_by = staff
}

/** Sets the outcome of the verdict, and what goes with it. */
export function conclude(resource: Resource, { script }: PriorAuthorizationRecord, now: number): void {
  resource.outcome = outcomeOf(script.verdict, now)
  const { result, detail_code } = script.verdict
  resource.patient_consent_required = detail_code === 'patient_consent_required'
  resource.out_of_pocket_costs = isApproved(script.verdict) ? [{ amount_cents: 2500, supply_duration_days: 30 }] : []
  resource.denial_reason_analysis =
    result === 'Denied'
      ? {
          categories: [detail_code],
          explanation: 'The plan did not find its criteria met.',
          next_steps: 'Appeal the denial.',
          next_steps_explanation: 'The denial can be appealed with a letter of medical necessity.',
        }
      : null
}

function expectedOutcome({ script }: PriorAuthorizationRecord, status: PriorAuthorizationStatus, now: number) {
  const waitsForProvider = status === 'awaiting_provider_response'
  return waitsForProvider
    ? outcomeOf({ result: 'Other', detail_code: 'more_information_required' }, now)
    : outcomeOf(script.verdict, now)
}

/** Whether a transfer is due: the PA is approved or not required, and has an NDP submission (specification, States). */
function isTransferDue({ resource, isTransferCancelled }: PriorAuthorizationRecord): boolean {
  const { outcome, ndp_submission } = resource
  return isFillable(outcome) && ndp_submission !== null && isTransferCancelled !== true
}
