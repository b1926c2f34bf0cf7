import type { Reference, Task, TaskInput } from 'fhir/r4.js'
import type { StaffTask, Subject } from '../../ehr.ts'
import type { PatchOperation } from '../chart-client.ts'
import type { MappingContext } from './context.ts'
import { drugConcept, drugLine, type NamedDrug, prescribedDrug, verifiedDrug } from './drug.ts'
import { filled, join, text, toDateTime } from '../../primitives.ts'
import { inWords } from '../../narrative/narrative.ts'
import { identifierOf, type NamedIdentifier, priorAuthorizationTask, referenceTo } from './references.ts'
import { isBenefitVerification } from './is-benefit-verification.ts'
import { subjectLine } from './subject-line.ts'

const opened = 'requested'
const noLongerNeeded = 'no_longer_needed'
const ended: readonly string[] = ['completed', 'cancelled', 'rejected', 'failed', 'entered-in-error']

/** The identifier of a subject's task, or of its task with this key. */
export function staffTaskIdentifier(base: string, subject: Subject, key?: string): NamedIdentifier {
  const kind = isBenefitVerification(subject) ? 'benefit-verification-staff-task' : 'prior-authorization-staff-task'
  return identifierOf(base, kind, key === undefined ? subject.id : `${subject.id}/${key}`)
}

/**
 * A task for a person. `previous` is the chart's current one. For the same reason, status, owner and notes belong to staff, and a task that they
 * ended stays ended. For another reason, or after pawl ended it, the task reopens.
 */
export function toStaffTask(context: MappingContext, subject: Subject, task: StaffTask, previous?: Task): Task {
  const kept = previous !== undefined && isOpenedFor(task.reason, previous) ? previous : undefined
  if (kept !== undefined && ended.includes(kept.status)) return kept
  const owner = ownerReference(task.owner)
  const dueAt = toDateTime(task.dueAt)
  return {
    resourceType: 'Task',
    identifier: [staffTaskIdentifier(context.base, subject, task.key)],
    ...about(context.base, subject),
    status: kept?.status ?? opened,
    statusReason: kept?.statusReason,
    businessStatus: kept?.businessStatus ?? { text: task.reason },
    intent: 'order',
    code: { text: task.title },
    reasonCode: { text: task.reason },
    description: join([task.title, drugLine(subject), subjectLine(subject, task.key), task.instructions], '\n'),
    for: context.patient,
    authoredOn: kept?.authoredOn ?? context.now,
    // The current owner keeps it.
    ...(previous?.owner === undefined && owner && { owner }),
    restriction: dueAt === undefined ? kept?.restriction : { ...kept?.restriction, period: { end: dueAt } },
    input: filled(inputOf(subject)),
  }
}

/** The task when it is no longer needed; undefined if staff or pawl ended it already. */
export function toEndedStaffTask(previous: Task, ending: 'completed' | 'cancelled'): Task | undefined {
  if (ended.includes(previous.status)) return undefined
  return { ...previous, status: ending, businessStatus: { text: noLongerNeeded } }
}

/** A patch that ends a task which is still as pawl opened it. The patch tests that itself, since some servers ignore If-Match. */
export function endingPatch(ending: 'completed' | 'cancelled'): PatchOperation[] {
  return [
    { op: 'test', path: '/status', value: opened },
    { op: 'add', path: '/status', value: ending },
    { op: 'add', path: '/businessStatus', value: { text: noLongerNeeded } },
  ]
}

/** Whether the task was opened for this reason. Staff may set the business status, so the reason is stored beside it; if the chart drops both, the description has it. */
function isOpenedFor(reason: string, { reasonCode, businessStatus, description }: Task): boolean {
  const lines = reasonCode === undefined && businessStatus === undefined ? (description?.split('\n') ?? []) : []
  if (lines.length > 0)
    return lines.includes(`Reason: ${inWords(reason)}`) && !lines.includes(`Status: ${inWords(noLongerNeeded)}`)
  return businessStatus?.text !== noLongerNeeded && (reasonCode ?? businessStatus)?.text === reason
}

function about(base: string, subject: Subject): Pick<Task, 'partOf' | 'focus'> {
  if (isBenefitVerification(subject)) {
    const identifier = identifierOf(base, 'benefit-verification', subject.id)
    return { focus: referenceTo('CoverageEligibilityResponse', identifier) }
  }
  const task = priorAuthorizationTask(base, subject.id)
  return { partOf: [task], focus: task }
}

function drugsOf(subject: Subject): NamedDrug[] {
  if (isBenefitVerification(subject)) return (subject.drugs ?? []).map(verifiedDrug)
  return [prescribedDrug(subject.prescription)]
}

function inputOf(subject: Subject): TaskInput[] {
  return drugsOf(subject).flatMap((drug) => {
    const valueCodeableConcept = drugConcept(drug)
    return valueCodeableConcept === undefined ? [] : [{ type: { text: 'Drug' }, valueCodeableConcept }]
  })
}

const ownerTypes = 'Practitioner|PractitionerRole|Organization|CareTeam|HealthcareService'
const ownerInChart = new RegExp(`^(https?://.+/)?(${ownerTypes})/[A-Za-z0-9.-]{1,64}$`)

/** A reference of the chart, or a name. */
function ownerReference(owner: string | undefined): Reference | undefined {
  const named = text(owner)?.trim()
  if (named === undefined) return undefined
  return ownerInChart.test(named) ? { reference: named } : { display: named }
}
