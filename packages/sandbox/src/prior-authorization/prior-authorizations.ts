import { isTerminal } from 'pawl-client/schemas/kinds'
import type { Organization } from '../access/organizations.ts'
import type { BenefitVerifications } from '../benefit-verification/benefit-verifications.ts'
import type { BenefitVerificationRecord } from '../benefit-verification/record.ts'
import type { Platform } from '../platform.ts'
import type { ReadFileUrl } from '../files/request-files.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import { codedRefusal, detailRefusal, priorAuthorizationNotFound } from '../platform/refusal.ts'
import { refuseUnfit } from '../platform/resource-control.ts'
import { createWalk } from '../platform/walk.ts'
import { compact } from '../platform/wire.ts'
import { benefitsCheckMachine } from './benefits-check.ts'
import { priorAuthorizationCreation } from './creation.ts'
import { addActivity, addMessage, type NewActivity, type NewMessage } from './history.ts'
import { conclude, priorAuthorizationMachine } from './machine.ts'
import {
  hasFittingFields,
  isVerdict,
  outcomeOf,
  type PushedOutcome,
  statusOf,
  usualDetailCode,
  usualVerdict,
  type Verdict,
  verdicts,
} from './pa-verdict.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import { type BenefitsCheckResponse, isConcluded } from 'pawl-client/schemas/prior-authorization'
import { ruleAgainst } from './rule-against.ts'
import { priorAuthorizationRows } from './states.ts'
import { prescriptionTransferMachine, transferMissing, type TransferPush } from './transfer.ts'
import { fieldsOfTransferPush, type TransferState } from './transfer-states.ts'
import { verificationStop } from './triggered-verification.ts'
import type { ProviderOutreaches } from '../provider-outreach/provider-outreaches.ts'

/** Dependencies on other kinds of resources. */
interface Deps {
  benefitVerifications: Pick<BenefitVerifications, 'createTriggered' | 'get' | 'cancel'>
  outreaches: Pick<ProviderOutreaches, 'start' | 'stop' | 'isAsking'>
  readFileUrl: ReadFileUrl
  isActiveNpi: (npi: string) => boolean
  isAuthorized: (organization: Organization, npi: string) => boolean
  /** Whether an authorization of the provider was initiated but not signed. */
  isAuthorizationAsked: (organizationId: string, npi: string) => boolean
}

/** All operations on PAs. They throw the documented refusals (specification, Endpoint rules, Errors). */
export type PriorAuthorizations = ReturnType<typeof createPriorAuthorizations>

export function createPriorAuthorizations(platform: Platform, deps: Deps) {
  const shelf = platform.store.shelf<PriorAuthorizationRecord>('prior_authorization')
  const { find, save } = shelf
  const history = { ...platform, save }
  const walkDeps = { ...platform, find, save }
  const transfers = createWalk({ ...walkDeps, machine: prescriptionTransferMachine(platform) })
  const benefitsChecks = createWalk({ ...walkDeps, machine: benefitsCheckMachine(platform) })
  const walk = createWalk({
    ...walkDeps,
    machine: priorAuthorizationMachine(platform, { ...history, startTransfer, isProviderAsked, ended }),
  })
  const create = priorAuthorizationCreation({
    platform,
    shelf,
    ...deps,
    begin: (record) => {
      walk.start(record)
      if (record.benefitsCheck !== undefined) benefitsChecks.start(record)
    },
  })

  function startTransfer(record: PriorAuthorizationRecord): void {
    record.transfer = { state: 'waiting', visited: [] }
    transfers.start(record)
  }

  /** Stops the outreach of an ended PA; a cancelled PA also stops its BV and benefits check. */
  function ended(record: PriorAuthorizationRecord): void {
    deps.outreaches.stop(record.id)
    if (record.resource.status !== 'cancelled') return
    const { triggered_benefit_verification_id: verification } = record.resource
    if (verification !== null) deps.benefitVerifications.cancel(deps.benefitVerifications.get(verification))
    if (benefitsChecks.legal(record).includes('stopped')) benefitsChecks.move(record, 'stopped')
  }

  /** Continues a PA that waits in `processing` for its BV, or stops it because of the BV's findings. */
  function verificationEnded({ resource }: BenefitVerificationRecord): void {
    const record = resource.triggered_by_pa_id === null ? undefined : find(resource.triggered_by_pa_id)
    if (record?.script.awaitsVerification !== true) return
    record.script.awaitsVerification = false
    const isBefore = record.resource.status === 'created' || record.resource.status === 'processing'
    if (isBefore) record.script.verdict = verificationStop(resource) ?? record.script.verdict
    walk.resume(record)
  }

  /** Whether the PA waits for the prescriber to answer an outreach or to sign an authorization. */
  function isProviderAsked({ id, organization, resource }: PriorAuthorizationRecord): boolean {
    return deps.outreaches.isAsking(id) || deps.isAuthorizationAsked(organization, resource.provider.npi)
  }

  /** Continues a PA that waits for its prescriber, or was about to: at once with an answer, after a while without one. */
  function providerAnswered(record: PriorAuthorizationRecord, isAnswered: boolean): void {
    const { progress } = record
    if (isProviderAsked(record)) return
    if (progress.state === 'processing' && progress.due?.to === 'awaiting_provider_response') delete progress.due
    else if (progress.state !== 'awaiting_provider_response') return
    if (isAnswered && progress.state === 'awaiting_provider_response')
      walk.move(record, progress.visited.at(-2) === 'processing' ? 'processing' : 'awaiting_outcome')
    else walk.resume(record)
  }

  /** An outreach of the PA has ended. */
  function outreachEnded(id: string, isAnswered: boolean): void {
    const record = find(id)
    if (record !== undefined) providerAnswered(record, isAnswered)
  }

  /** A provider has signed: continues all PAs that waited for it. */
  function authorizationSigned(organizationId: string, npi: string): void {
    for (const record of shelf.listOwn(organizationId))
      if (record.resource.provider.npi === npi) providerAnswered(record, true)
  }

  /** A record of any organization, for controls. */
  function get(id: string): PriorAuthorizationRecord {
    const record = find(id)
    if (record === undefined) throw priorAuthorizationNotFound()
    return record
  }

  function cancel(record: PriorAuthorizationRecord, reason: string): void {
    refuseTerminal(record, 'cancelled')
    record.cancellationReason = reason
    walk.move(record, 'cancelled')
  }

  function updateNdpSubmission(record: PriorAuthorizationRecord, pharmacyNcpdpId: string): void {
    refuseTerminal(record, 'updated')
    const { ndp_submission, prescription_transfer } = record.resource
    if (ndp_submission === null) throw detailRefusal(400, 'Prior authorization request has no NDP submission.')
    if ((prescription_transfer?.transfer_attempts.length ?? 0) > 0)
      throw detailRefusal(400, 'The pharmacy cannot be changed after a transfer was attempted.')
    ndp_submission.preferred_pharmacy_ncpdp_id = pharmacyNcpdpId
    save(record)
  }

  /** Prevents or stops a transfer. One that ended without completing stays unchanged. Refused for a PA that never has a transfer. */
  function cancelTransfer(record: PriorAuthorizationRecord): void {
    const { resource, transfer, isTransferCancelled } = record
    const isPossible =
      transfer !== undefined || isTransferCancelled === true || !isTerminal('prior_authorization', resource.status)
    if (resource.ndp_submission === null || !isPossible)
      throw detailRefusal(400, 'Prior authorization request has no prescription transfer.')
    if (transfer?.state === 'completed')
      throw detailRefusal(400, 'Prescription transfer is in completed state and cannot be cancelled.')
    if (transfer === undefined) {
      record.isTransferCancelled = true
      save(record)
    } else if (transfers.legal(record).includes('cancelled')) transfers.move(record, 'cancelled')
  }

  function push(record: PriorAuthorizationRecord, status: string, outcome?: PushedOutcome): void {
    const { progress, script } = record
    const { state } = progress
    if (outcome !== undefined && state === status && showsOutcome(state)) {
      changeOutcome(record, state, outcome)
      return
    }
    const rows = priorAuthorizationRows.filter(({ from, to }) => from === progress.state && to === status)
    const [rule] = rows.map((row) => ruleAgainst(script, row))
    const to = chooseLegal(progress.state, status, walk.legal(record), rule)
    if (to === 'completed' || to === 'not_submitted' || to === 'failed')
      script.verdict = pushedVerdict(record, to, outcome)
    walk.move(record, to)
  }

  /** Changes the outcome of a PA that is validated or has ended: emits `status_change` without a change of status (specification, Events). An approval that stays one keeps its first day. */
  function changeOutcome(
    record: PriorAuthorizationRecord,
    status: Concluding | 'validating_outcome',
    outcome: PushedOutcome,
  ): void {
    const { script, resource, organization } = record
    const firstDay = resource.outcome.authorization_start_date
    script.verdict = requestedVerdict(outcome, status)
    if (status === 'validating_outcome') resource.outcome = outcomeOf(script.verdict, platform.clock.now())
    else conclude(resource, record, platform.clock.now())
    if (firstDay !== undefined && resource.outcome.authorization_start_date !== undefined)
      resource.outcome.authorization_start_date = firstDay
    save(record)
    platform.emit({ organization, type: 'prior_authorization.status_change', resource })
  }

  /** Moves the transfer to a legal next state and returns it. The code of `error` is the given one, else the scripted one, else `other`; an attempt goes to the given pharmacy, else to that of the attempt before it or the preferred one. */
  function pushTransfer(
    record: PriorAuthorizationRecord,
    state: string,
    { errorCode, pharmacyNcpdpId }: TransferPush = {},
  ): TransferState {
    const missing = record.transfer === undefined ? `Transfer: ${transferMissing(record)}.` : undefined
    const to = chooseLegal(record.transfer?.state ?? 'none', state, transfers.legal(record), missing)
    refuseUnfit(to, { error_code: errorCode, pharmacy_ncpdp_id: pharmacyNcpdpId }, fieldsOfTransferPush(to))
    if (errorCode !== undefined) record.script.transferErrorCode = errorCode
    if (pharmacyNcpdpId !== undefined) record.script.pushedPharmacy = pharmacyNcpdpId
    transfers.move(record, to)
    return to
  }

  /** Completes the benefits check now, or another one after it; a given response overrides the invented one. */
  function pushBenefitsCheck(record: PriorAuthorizationRecord, response?: Partial<BenefitsCheckResponse>): void {
    const legal = benefitsChecks.legal(record).filter((state) => state === 'completed')
    const to = chooseLegal(record.benefitsCheck?.state ?? 'none', 'completed', legal)
    if (response !== undefined) record.script.pushedBenefits = response
    benefitsChecks.move(record, to)
  }

  return {
    get,
    has: (id: string) => find(id) !== undefined,
    list: () => shelf.list().map(({ resource }) => resource),
    /** A record of this organization; throws the PA 404. */
    getOwn: (id: string, organization: Organization): PriorAuthorizationRecord => {
      const record = shelf.findOwn(id, organization.id)
      if (record === undefined) throw priorAuthorizationNotFound()
      return record
    },
    create,
    cancel,
    push,
    pushTransfer,
    pushBenefitsCheck,
    verificationEnded,
    outreachEnded,
    authorizationSigned,
    updateNdpSubmission,
    cancelTransfer,
    addFeedback: (record: PriorAuthorizationRecord, feedback: { category: string; message: string }): void => {
      record.feedback.push(feedback)
      save(record)
    },
    addMessage: (record: PriorAuthorizationRecord, message: NewMessage) => addMessage(history, record, message),
    addActivity: (record: PriorAuthorizationRecord, activity: NewActivity) => addActivity(history, record, activity),
    review: (record: PriorAuthorizationRecord): void => {
      const { state } = record.progress
      if (state !== 'awaiting_review') chooseLegal(state, 'reviewed', walk.legal(record))
      walk.move(record, 'awaiting_outcome')
    },
    /** Runners of due transitions, by machine name. */
    runners: {
      prior_authorization: walk.runDue,
      prescription_transfer: transfers.runDue,
      benefits_check: benefitsChecks.runDue,
    },
  }
}

function refuseTerminal({ resource: { status } }: PriorAuthorizationRecord, done: string): void {
  if (isTerminal('prior_authorization', status))
    throw detailRefusal(400, `Prior authorization request with status ${status} cannot be ${done}.`)
}

type Concluding = 'completed' | 'not_submitted' | 'failed'

/** Whether a control may change its outcome while the status stays. */
function showsOutcome(status: string): status is Concluding | 'validating_outcome' {
  return status === 'validating_outcome' || isConcluded(status)
}

/** The requested outcome, else the scripted one if it fits the status, else the status's default. */
function pushedVerdict({ script }: PriorAuthorizationRecord, to: Concluding, outcome?: PushedOutcome): Verdict {
  if (outcome !== undefined) return requestedVerdict(outcome, to)
  return statusOf(script.verdict) === to ? script.verdict : (usualVerdict[to] ?? script.verdict)
}

/** The verdict of a requested outcome. During validation, any outcome fits. */
function requestedVerdict(outcome: PushedOutcome, status: Concluding | 'validating_outcome'): Verdict {
  const { result, detail_code = usualDetailCode[result], ...others } = outcome
  const verdict = { result, detail_code, ...compact(others) }
  const fits = (one: Verdict) => status === 'validating_outcome' || statusOf(one) === status
  if (isVerdict(verdict) && fits(verdict) && hasFittingFields(verdict)) return verdict
  const legal = verdicts.filter(fits).map((one) => `${one.result} ${one.detail_code}`)
  throw codedRefusal(409, {
    title: 'Outcome does not fit',
    description: `${result} with ${detail_code} is not an outcome of a PA that is ${status}; these are: ${legal.join(', ')}. A client_code goes only with Denied, an authorization_expiration only with an approval.`,
    code: 'outcome_does_not_fit',
    legal,
  })
}
