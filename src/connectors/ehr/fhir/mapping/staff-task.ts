import type { Task } from 'fhir/r4.js'
import type { PriorAuthorization } from '../../../../resources/prior-authorization.ts'
import type { StaffTaskReason } from '../../ehr.ts'
import { identifierOf, patientReference, referenceTo } from './references.ts'

const noLongerNeeded = 'no_longer_needed'

/**
 * The task of whoever must act on a PA. `previous` is the one that the chart holds: what the staff did to it for the same reason stands,
 * so that a rerun neither takes it out of their hands nor opens again what they closed.
 */
export function toOpenStaffTask(
  base: string,
  priorAuthorization: PriorAuthorization,
  reason: StaffTaskReason,
  previous?: Task,
): Task {
  const priorAuthorizationTask = referenceTo('Task', identifierOf(base, 'prior-authorization', priorAuthorization.id))
  if (previous?.businessStatus?.text === reason) return previous
  return {
    resourceType: 'Task',
    identifier: [identifierOf(base, 'prior-authorization-staff-task', priorAuthorization.id)],
    partOf: [priorAuthorizationTask],
    status: 'requested',
    businessStatus: { text: reason },
    intent: 'order',
    code: { text: reason },
    focus: priorAuthorizationTask,
    for: patientReference(base, priorAuthorization.patient),
  }
}

/** The same task once nobody has to act any more; absent where there is none. */
export function toClosedStaffTask(previous: Task | undefined): Task | undefined {
  return previous && { ...previous, status: 'completed', businessStatus: { text: noLongerNeeded } }
}
