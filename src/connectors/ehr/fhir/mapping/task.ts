import type { Task } from 'fhir/r4.js'
import type { PriorAuthorization } from '../../../../resources/prior-authorization.ts'
import { text } from './primitives.ts'
import { identifierOf, patientReference, prescriberReference, referenceTo } from './references.ts'

const statuses: ReadonlyMap<string, Task['status']> = new Map<string, Task['status']>([
  ['created', 'requested'],
  ['processing', 'in-progress'],
  ['awaiting_outcome', 'in-progress'],
  ['awaiting_review', 'on-hold'],
  ['awaiting_provider_response', 'on-hold'],
  ['validating_outcome', 'in-progress'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['not_submitted', 'rejected'],
  ['cancelled', 'cancelled'],
])

const running: readonly string[] = ['requested', 'in-progress', 'on-hold'] satisfies Task['status'][]

/** The state of a PA as a Task. `previous` is the Task that the chart holds, of which an unknown status keeps the status unless it is a terminal one. */
export function toTask(base: string, priorAuthorization: PriorAuthorization, previous?: Task): Task {
  const { id, status } = priorAuthorization
  const replaced = text(priorAuthorization.resubmission_info?.previous_prior_auth_request_id)
  return {
    resourceType: 'Task',
    identifier: [identifierOf(base, 'prior-authorization', id)],
    basedOn:
      replaced === undefined ? undefined : [referenceTo('Task', identifierOf(base, 'prior-authorization', replaced))],
    status: statuses.get(status) ?? statusToKeep(previous),
    statusReason: statusReason(priorAuthorization),
    businessStatus: { text: text(status) ?? 'unknown' },
    intent: 'order',
    code: { text: 'Prior authorization' },
    for: patientReference(base, priorAuthorization.patient),
    requester: prescriberReference(priorAuthorization.provider),
  }
}

function statusToKeep(previous: Task | undefined): Task['status'] {
  return previous !== undefined && running.includes(previous.status) ? previous.status : 'in-progress'
}

function statusReason({ status, outcome }: PriorAuthorization): Task['statusReason'] {
  if (status !== 'not_submitted' && status !== 'failed') return undefined
  const reason = text(outcome?.detail_code) ?? text(outcome?.detail)
  return reason === undefined ? undefined : { text: reason }
}
