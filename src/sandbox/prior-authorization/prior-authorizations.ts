import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import type { NewMessage, PushedOutcome } from '../controls.ts'
import type { Core } from '../core.ts'
import { codedRefusal, detailRefusal, priorAuthorizationNotFound } from '../errors.ts'
import { isTerminal } from '../machine/prior-authorization.ts'
import { createWalk } from '../machine/walk.ts'
import type { Organization } from '../organizations.ts'
import { chooseLegal } from '../push.ts'
import type { PriorAuthorizationRecord } from '../records.ts'
import { checkCreation } from './creation-rules.ts'
import { addMessage } from './history.ts'
import { priorAuthorizationMachine } from './machine.ts'
import { isVerdict, statusOf, usualDetailCode, usualVerdict } from './outcome.ts'
import { planPriorAuthorization } from './plan.ts'
import { newPriorAuthorization } from './resource.ts'
import { newTransfer, prescriptionTransferMachine } from './transfer.ts'

type Record_ = PriorAuthorizationRecord

/** All that can be done with PAs; refusals are as the specification has them (Endpoint rules, Errors). */
export type PriorAuthorizations = ReturnType<typeof createPriorAuthorizations>

/** Makes the PA part of the sandbox. */
export function createPriorAuthorizations(core: Core) {
  const { store, random } = core
  const find = (id: string) => store.find('prior_authorization', id)
  const walkDeps = { ...core, find, save: store.save }
  const transfers = createWalk({ ...walkDeps, machine: prescriptionTransferMachine(core) })
  const walk = createWalk({ ...walkDeps, machine: priorAuthorizationMachine(core, startTransfer) })

  function startTransfer(record: Record_): void {
    record.transfer = { state: 'waiting', visited: [] }
    transfers.start(record)
  }

  /** Any organization's record, for controls. */
  function get(id: string): Record_ {
    const record = find(id)
    if (record === undefined) throw priorAuthorizationNotFound()
    return record
  }

  function create(organization: Organization, request: PriorAuthorizationRequest): Record_ {
    checkCreation(request, organization, store)
    const id = `pa_req_${random.letters(20)}`
    const record: Record_ = {
      kind: 'prior_authorization',
      id,
      organization: organization.id,
      resource: newPriorAuthorization(id, request, random),
      plan: planPriorAuthorization(request, organization, core, random.fork(id)),
      progress: { state: 'created', visited: [] },
      feedback: [],
    }
    store.save(record)
    walk.start(record)
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
    store.save(record)
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
      store.save(record)
    } else if (transfers.legal(record).includes('cancelled')) transfers.move(record, 'cancelled')
  }

  function push(record: Record_, status: string, outcome?: PushedOutcome): void {
    const to = chooseLegal(record.progress.state, status, walk.legal(record))
    if (to === 'completed' || to === 'not_submitted' || to === 'failed')
      record.plan.verdict = pushedVerdict(record, to, outcome)
    walk.move(record, to)
  }

  return {
    get,
    /** The organization's own record; throws the 404 of PAs. */
    getOwn: (id: string, organization: Organization): Record_ => {
      const record = store.findOwn('prior_authorization', id, organization.id)
      if (record === undefined) throw priorAuthorizationNotFound()
      return record
    },
    create,
    cancel,
    push,
    updateNdpSubmission,
    cancelTransfer,
    addFeedback: (record: Record_, feedback: { category: string; message: string }): void => {
      record.feedback.push(feedback)
      store.save(record)
    },
    addMessage: (record: Record_, message: NewMessage) => addMessage(core, record, message),
    review: (record: Record_): void => {
      const { state } = record.progress
      if (state !== 'awaiting_review') chooseLegal(state, 'reviewed', walk.legal(record))
      walk.move(record, 'awaiting_outcome')
    },
    /** What the schedule runs, by machine. */
    fire: { prior_authorization: walk.fire, prescription_transfer: transfers.fire },
  }
}

function refuseTerminal({ resource: { status } }: Record_, done: string): void {
  if (isTerminal(status))
    throw detailRefusal(400, `Prior authorization request with status ${status} cannot be ${done}.`)
}

/** The outcome that a push asks for, else the planned one if it fits the status, else the status' usual one. */
function pushedVerdict({ plan }: Record_, to: 'completed' | 'not_submitted' | 'failed', outcome?: PushedOutcome) {
  if (outcome === undefined) return statusOf(plan.verdict) === to ? plan.verdict : (usualVerdict[to] ?? plan.verdict)
  const { result, detail_code = usualDetailCode[result] } = outcome
  const verdict = { result, detail_code }
  if (isVerdict(verdict) && statusOf(verdict) === to) return verdict
  throw codedRefusal(409, {
    title: 'Outcome does not fit',
    description: `${result} with ${detail_code} is no outcome of a PA that is ${to}.`,
    code: 'outcome_does_not_fit',
  })
}
