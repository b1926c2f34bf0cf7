import type { Task, TaskInput, TaskOutput } from 'fhir/r4.js'
import { isApproved, isUnneeded } from 'pawl-client/schemas/outcome'
import { type PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { MappingContext } from './context.ts'
import { drugConcept, prescribedDrug, prescriptionLine } from './drug.ts'
import { subjectLine } from './subject-line.ts'
import { authorizationPeriod, detailCode, settledOutcome } from './settled-outcome.ts'
import { filled, join, text } from '../../primitives.ts'
import { identifierOf, prescriberReference, priorAuthorizationTask } from './references.ts'

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

/** In the order of the service's priorities: critical, high, medium, low. */
const priorities: readonly Task['priority'][] = ['stat', 'urgent', 'routine', 'routine']

const running: readonly string[] = ['requested', 'in-progress', 'on-hold'] satisfies Task['status'][]

/** The state of a PA as a Task, complete with the decision. `previous` is the chart's current Task; an unknown status of the PA keeps its status unless that is terminal. */
export function toTask(context: MappingContext, pa: PriorAuthorization, previous?: Task): Task {
  const { base, now } = context
  const replaced = text(pa.resubmission_info?.previous_prior_auth_request_id)
  const authoredOn = previous?.authoredOn ?? now
  return {
    resourceType: 'Task',
    identifier: [identifierOf(base, 'prior-authorization', pa.id)],
    basedOn: replaced === undefined ? undefined : [priorAuthorizationTask(base, replaced)],
    status: statuses.get(pa.status) ?? statusToKeep(previous),
    statusReason: statusReason(base, pa),
    businessStatus: { text: text(pa.status) ?? 'unknown' },
    intent: 'order',
    priority: priorities[pa.priority ?? -1],
    code: { text: 'Prior authorization' },
    description: join([prescriptionLine(pa.prescription), subjectLine(pa)], '\n'),
    for: context.patient,
    authoredOn,
    // FHIR refuses a change before the start (inv-1), which a clock set back would produce.
    lastModified: Date.parse(authoredOn) > Date.parse(now) ? authoredOn : now,
    requester: prescriberReference(pa.provider),
    input: filled(inputOf(pa)),
    output: filled(outputOf(base, pa)),
  }
}

function statusToKeep(previous: Task | undefined): Task['status'] {
  return previous !== undefined && running.includes(previous.status) ? previous.status : 'in-progress'
}

function statusReason(base: string, pa: PriorAuthorization): Task['statusReason'] {
  if (pa.status !== 'not_submitted' && pa.status !== 'failed') return undefined
  const outcome = settledOutcome(pa)
  const code = text(outcome?.detail_code)
  if (code !== undefined) return detailCode(base, code)
  const detail = text(outcome?.detail)
  return detail === undefined ? undefined : { text: detail }
}

function inputOf(pa: PriorAuthorization): TaskInput[] {
  const drug = drugConcept(prescribedDrug(pa.prescription))
  const diagnoses = (pa.diagnoses ?? []).flatMap(({ code }) => text(code)?.trim() ?? [])
  const reason = pa.resubmission_info?.quantity_limit_exception_reason ?? pa.quantity_limit_exception_reason
  return [
    ...(drug === undefined ? [] : [{ type: { text: 'Drug' }, valueCodeableConcept: drug }]),
    ...diagnoses.map((code) => ({
      type: { text: 'Diagnosis' },
      valueCodeableConcept: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code }], text: code },
    })),
    ...(pa.is_appeal === undefined ? [] : [{ type: { text: 'Appeal' }, valueBoolean: pa.is_appeal }]),
    ...said('Reason for the quantity limit exception', reason),
  ]
}

function outputOf(base: string, pa: PriorAuthorization): TaskOutput[] {
  const outcome = settledOutcome(pa)
  if (outcome === undefined) return []
  const code = text(outcome.detail_code)
  const isGranted = isApproved(outcome) && !isUnneeded(outcome)
  const period = isGranted ? authorizationPeriod(outcome) : undefined
  const analysis = outcome.result === 'Denied' ? pa.denial_reason_analysis : undefined
  return [
    ...said('Result', isApproved(outcome) ? 'Approved' : outcome.result),
    ...(code === undefined
      ? said('Reason', outcome.detail)
      : [{ type: { text: 'Reason' }, valueCodeableConcept: detailCode(base, code, outcome.detail) }]),
    ...(period === undefined ? [] : [{ type: { text: 'Authorized period' }, valuePeriod: period }]),
    ...said('Client code', outcome.client_code),
    ...(analysis?.categories ?? []).flatMap((category) => said('Denial category', category)),
    ...said('Denial explanation', analysis?.explanation),
    ...said('Next steps', join([analysis?.next_steps, analysis?.next_steps_explanation], ' ')),
  ]
}

function said(label: string, value: string | undefined): { type: { text: string }; valueString: string }[] {
  const valueString = text(value)
  return valueString === undefined ? [] : [{ type: { text: label }, valueString }]
}
