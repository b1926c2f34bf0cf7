import type { Organization } from '../access/organizations.ts'
import type { BenefitVerifications } from '../benefit-verification/benefit-verifications.ts'
import type { BenefitVerificationRecord } from '../benefit-verification/record.ts'
import type { Core } from '../core.ts'
import type { Download } from '../files/download.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import { codedRefusal, detailRefusal, priorAuthorizationNotFound } from '../platform/refusal.ts'
import { createWalk } from '../platform/walk.ts'
import { benefitsCheckMachine } from './benefits-check.ts'
import { priorAuthorizationCreation } from './creation.ts'
import { addActivity, addMessage, type NewActivity, type NewMessage } from './history.ts'
import { priorAuthorizationMachine } from './machine.ts'
import {
  isVerdict,
  outcomeOf,
  type PushedOutcome,
  statusOf,
  usualDetailCode,
  usualVerdict,
  type Verdict,
} from './outcome.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import { isTerminal } from './states.ts'
import { newTransfer, prescriptionTransferMachine } from './transfer.ts'
import { verificationStop } from './triggered-verification.ts'
import type { ProviderOutreaches } from '../provider-outreach/provider-outreaches.ts'

type Record_ = PriorAuthorizationRecord

/** What PAs have to do with the other nouns. */
interface Neighbours {
  benefitVerifications: Pick<BenefitVerifications, 'createTriggered' | 'get' | 'cancel'>
  outreaches: Pick<ProviderOutreaches, 'start' | 'stop'>
  download: Download
  isActiveNpi: (npi: string) => boolean
  isAuthorized: (organization: Organization, npi: string) => boolean
}

/** All that can be done with PAs; refusals are as the specification has them (Endpoint rules, Errors). */
export type PriorAuthorizations = ReturnType<typeof createPriorAuthorizations>

/** Makes the PA part of the sandbox. */
export function createPriorAuthorizations(core: Core, neighbours: Neighbours) {
  const shelf = core.store.shelf<PriorAuthorizationRecord>('prior_authorization')
  const { find, save } = shelf
  const history = { ...core, save }
  const walkDeps = { ...core, find, save }
  const transfers = createWalk({ ...walkDeps, machine: prescriptionTransferMachine(core) })
  const benefitsChecks = createWalk({ ...walkDeps, machine: benefitsCheckMachine(core) })
  const walk = createWalk({
    ...walkDeps,
    machine: priorAuthorizationMachine(core, { ...history, startTransfer, ended }),
  })
  const create = priorAuthorizationCreation({
    core,
    shelf,
    ...neighbours,
    begin: (record) => {
      walk.start(record)
      if (record.benefitsCheck !== undefined) benefitsChecks.start(record)
    },
  })

  function startTransfer(record: Record_): void {
    record.transfer = { state: 'waiting', visited: [] }
    transfers.start(record)
  }

  /** Outreach serves no PA that has ended; a cancelled one needs no answers about the patient's plan either. */
  function ended(record: Record_): void {
    neighbours.outreaches.stop(record.id)
    if (record.resource.status !== 'cancelled') return
    const { triggered_benefit_verification_id: verification } = record.resource
    if (verification !== null) neighbours.benefitVerifications.cancel(neighbours.benefitVerifications.get(verification))
    if (benefitsChecks.legal(record).includes('stopped')) benefitsChecks.move(record, 'stopped')
  }

  /** The BV that a PA triggered has ended: it may stop the PA, which until then waits in `processing`. */
  function verificationEnded({ resource }: BenefitVerificationRecord): void {
    const record = resource.triggered_by_pa_id === null ? undefined : find(resource.triggered_by_pa_id)
    if (record?.script.awaitsVerification !== true) return
    record.script.awaitsVerification = false
    const isBefore = record.resource.status === 'created' || record.resource.status === 'processing'
    if (isBefore) record.script.verdict = verificationStop(resource) ?? record.script.verdict
    walk.resume(record)
  }

  /** Any organization's record, for controls. */
  function get(id: string): Record_ {
    const record = find(id)
    if (record === undefined) throw priorAuthorizationNotFound()
    return record
  }

  function cancel(record: Record_, reason: string): void {
    refuseTerminal(record, 'cancelled')
    record.cancellationReason = reason
    walk.move(record, 'cancelled')
  }

  function updateNdpSubmission(record: Record_, pharmacyNcpdpId: string): void {
    refuseTerminal(record, 'updated')
    const { ndp_submission, prescription_transfer } = record.resource
    if (ndp_submission === null) throw detailRefusal(400, 'Prior authorization request has no NDP submission.')
    if ((prescription_transfer?.transfer_attempts.length ?? 0) > 0)
      throw detailRefusal(400, 'The pharmacy cannot be changed after a transfer was attempted.')
    ndp_submission.preferred_pharmacy_ncpdp_id = pharmacyNcpdpId
    save(record)
  }

  /** Before the transfer began this keeps it from beginning; one that has ended without completing stays as it is. */
  function cancelTransfer(record: Record_): void {
    const { resource, transfer } = record
    if (resource.ndp_submission === null)
      throw detailRefusal(400, 'Prior authorization request has no prescription transfer.')
    if (transfer?.state === 'completed')
      throw detailRefusal(400, 'Prescription transfer is in completed state and cannot be cancelled.')
    if (transfer === undefined) {
      resource.prescription_transfer = newTransfer('cancelled')
      save(record)
    } else if (transfers.legal(record).includes('cancelled')) transfers.move(record, 'cancelled')
  }

  function push(record: Record_, status: string, outcome?: PushedOutcome): void {
    if (outcome !== undefined && status === 'validating_outcome' && record.progress.state === status) {
      changeOutcome(record, outcome)
      return
    }
    const to = chooseLegal(record.progress.state, status, walk.legal(record))
    if (to === 'completed' || to === 'not_submitted' || to === 'failed')
      record.script.verdict = pushedVerdict(record, to, outcome)
    walk.move(record, to)
  }

  /** The payer's answer turns out to be another one while it is checked: told as `status_change` although the status stays (specification, Events). */
  function changeOutcome(record: Record_, outcome: PushedOutcome): void {
    const { script, resource, organization } = record
    script.verdict = askedVerdict(outcome, 'validating_outcome')
    resource.outcome = outcomeOf(script.verdict, core.clock.now())
    save(record)
    core.emit({ organization, type: 'prior_authorization.status_change', resource })
  }

  /** Moves the transfer on by hand; `error` takes the planned code, else `other`. */
  function pushTransfer(record: Record_, state: string): void {
    transfers.move(record, chooseLegal(record.transfer?.state ?? 'none', state, transfers.legal(record)))
  }

  /** Completes the benefits check now. */
  function pushBenefitsCheck(record: Record_): void {
    const legal = benefitsChecks.legal(record).filter((state) => state === 'completed')
    benefitsChecks.move(record, chooseLegal(record.benefitsCheck?.state ?? 'none', 'completed', legal))
  }

  return {
    get,
    /** The organization's own record; throws the 404 of PAs. */
    getOwn: (id: string, organization: Organization): Record_ => {
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
    updateNdpSubmission,
    cancelTransfer,
    addFeedback: (record: Record_, feedback: { category: string; message: string }): void => {
      record.feedback.push(feedback)
      save(record)
    },
    addMessage: (record: Record_, message: NewMessage) => addMessage(history, record, message),
    addActivity: (record: Record_, activity: NewActivity) => addActivity(history, record, activity),
    review: (record: Record_): void => {
      const { state } = record.progress
      if (state !== 'awaiting_review') chooseLegal(state, 'reviewed', walk.legal(record))
      walk.move(record, 'awaiting_outcome')
    },
    /** What the schedule runs, by machine. */
    fire: {
      prior_authorization: walk.fire,
      prescription_transfer: transfers.fire,
      benefits_check: benefitsChecks.fire,
    },
  }
}

function refuseTerminal({ resource: { status } }: Record_, done: string): void {
  if (isTerminal(status))
    throw detailRefusal(400, `Prior authorization request with status ${status} cannot be ${done}.`)
}

type Concluding = 'completed' | 'not_submitted' | 'failed'

/** The outcome that a push asks for, else the planned one if it fits the status, else the status' usual one. */
function pushedVerdict({ script }: Record_, to: Concluding, outcome?: PushedOutcome): Verdict {
  if (outcome !== undefined) return askedVerdict(outcome, to)
  return statusOf(script.verdict) === to ? script.verdict : (usualVerdict[to] ?? script.verdict)
}

/** What is still checked may turn out to be anything. */
function askedVerdict(outcome: PushedOutcome, status: Concluding | 'validating_outcome'): Verdict {
  const { result, detail_code = usualDetailCode[result] } = outcome
  const verdict = { result, detail_code }
  if (isVerdict(verdict) && (status === 'validating_outcome' || statusOf(verdict) === status)) return verdict
  throw codedRefusal(409, {
    title: 'Outcome does not fit',
    description: `${result} with ${detail_code} is no outcome of a PA that is ${status}.`,
    code: 'outcome_does_not_fit',
  })
}
