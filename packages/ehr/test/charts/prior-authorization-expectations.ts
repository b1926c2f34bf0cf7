import type { ClaimResponse, Task } from 'fhir/r4.js'
import { taskStatuses } from '../../../testing/src/in-sync/prior-authorization-differences.ts'
import type { PriorAuthorization } from '../../../client/src/schemas/prior-authorization.ts'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'
import { reviewActionOf } from '../../../../test/support/review-action.ts'
import {
  absent,
  currentDocuments,
  getsStates,
  ownNameOf,
  present,
  takes,
  taskStatusIn,
  textOf,
  unlabelled,
} from './chart-reading.ts'
import type { PriorAuthorizationMatter } from './expectations.ts'

const ended: readonly string[] = ['completed', 'failed', 'not_submitted', 'cancelled']

/** Faults of the chart's content about one PA. */
export function priorAuthorizationFaults(chart: Chart, base: string, matter: PriorAuthorizationMatter): string[] {
  const { resource } = matter
  const named = <T extends 'Task' | 'ClaimResponse' | 'DocumentReference'>(type: T, kind: string) =>
    chart.all(type).filter((each) => {
      const name = ownNameOf(each, base)
      return name?.kind === kind && name.value === resource.id
    })
  const faults: string[] = []
  if (takes(chart, 'Task', 'create')) {
    const [task] = named('Task', 'prior-authorization')
    faults.push(...taskFaults(chart, task, matter))
    faults.push(...transferFaults(chart, named('Task', 'prescription-transfer')[0], resource))
    faults.push(...staffTaskFaults(chart, named('Task', 'prior-authorization-staff-task')[0], matter))
  }
  if (takes(chart, 'ClaimResponse', 'create'))
    faults.push(...determinationFaults(named('ClaimResponse', 'prior-authorization')[0], matter))
  if (takes(chart, 'DocumentReference', 'create')) {
    const isWanted = getsStates(chart) || ended.includes(resource.status)
    const documents = currentDocuments(named('DocumentReference', 'prior-authorization'))
    if (documents.length !== (isWanted ? 1 : 0)) faults.push(`${documents.length} documents`)
    else if (isWanted)
      faults.push(...textFaults(documents.map(textOf).join('\n'), resource, { hasAll: getsStates(chart) }))
  }
  return faults.map((fault) => `${resource.id} (${resource.status}, ${resource.outcome?.detail_code}): ${fault}`)
}

/** The outcome that may be told: while a PA runs, what it carries is a placeholder or still being checked. */
function toldOutcome({ status, outcome }: PriorAuthorization): PriorAuthorization['outcome'] {
  return ended.includes(status) && status !== 'cancelled' && outcome?.result !== 'Pending' ? outcome : undefined
}

/** Both words for an approval are the same result. */
function resultOf(told: PriorAuthorization['outcome']): string | undefined {
  return told?.result === 'Approval' ? 'Approved' : told?.result
}

function taskFaults(chart: Chart, task: Task | undefined, { resource, earlier }: PriorAuthorizationMatter): string[] {
  if (task === undefined) return ['no Task']
  const { status } = resource
  const last = earlier.findLast((each) => each in taskStatuses && !ended.includes(each)) ?? 'processing'
  const wanted = taskStatusIn(chart, taskStatuses[status] ?? taskStatuses[last] ?? 'in-progress')
  const words = seenOf(chart, task)
  const told = toldOutcome(resource)
  const code = told?.detail_code
  return [
    ...(task.status === wanted ? [] : [`Task is ${task.status}, not ${wanted}`]),
    ...(hidesOf(chart).includes('businessStatus')
      ? absent(words, status, 'Task')
      : task.businessStatus?.text === status
        ? []
        : [`Task says ${task.businessStatus?.text}`]),
    ...absent(words, resource.prescription?.drug_name, 'Task'),
    ...(status === 'completed'
      ? absent(
          hidesOf(chart).includes('output') ? words : JSON.stringify(task.output ?? []),
          resultOf(told),
          'Task.output',
        )
      : []),
    ...absent(words, code, 'Task'),
    ...(told === undefined ? present(words, resource.outcome?.detail, 'Task') : []),
  ]
}

function determinationFaults(response: ClaimResponse | undefined, matter: PriorAuthorizationMatter): string[] {
  const { resource, earlier } = matter
  const existed = earlier.some((each) => each in taskStatuses && each !== 'created')
  const isKnown = resource.status in taskStatuses
  const withdrawn = resource.status === 'not_submitted' || resource.status === 'cancelled'
  const isWanted = resource.status !== 'created' && ((isKnown && !withdrawn) || existed)
  if (!isWanted) return response === undefined ? [] : ['a ClaimResponse where none belongs']
  if (response === undefined) return ['no ClaimResponse']
  const told = toldOutcome(resource)
  const isUnneeded = told?.detail_code === 'prior_auth_not_required'
  const isApproved = resultOf(told) === 'Approved'
  const state = withdrawn ? 'cancelled' : 'active'
  const action = reviewActionOf(response)
  const period = response.preAuthPeriod?.end?.slice(0, 10)
  const wantedPeriod = isApproved && !isUnneeded ? told?.authorization_expiration : undefined
  return [
    ...(response.status === state ? [] : [`ClaimResponse is ${response.status}`]),
    ...(withdrawn || response.outcome === determinationOf(resource.status) ? [] : [`it says ${response.outcome}`]),
    ...(period === wantedPeriod ? [] : [`ClaimResponse ends ${period}, not ${wantedPeriod}`]),
    ...(isApproved && !isUnneeded && action !== 'A1' ? [`approved, but ${action}`] : []),
    ...(told?.result === 'Denied' && action !== 'A3' ? [`denied, but ${action}`] : []),
    ...(resource.status === 'processing' && action !== undefined ? [`nothing was submitted, but ${action}`] : []),
    ...(!isApproved && action === 'A1' ? ['certified though not approved'] : []),
    ...(resource.status === 'completed' ? absent(JSON.stringify(response), told?.detail, 'ClaimResponse') : []),
  ]
}

function determinationOf(status: string): ClaimResponse['outcome'] {
  if (status === 'completed') return 'complete'
  return status === 'failed' ? 'error' : 'queued'
}

const transferStatuses: Partial<Record<string, Task['status']>> = {
  in_progress: 'in-progress',
  awaiting_provider_response: 'on-hold',
  completed: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
}

function transferFaults(
  chart: Chart,
  task: Task | undefined,
  { prescription_transfer: transfer }: PriorAuthorization,
): string[] {
  if (transfer === undefined) return task === undefined ? [] : ['a transfer that nobody spoke of']
  if (task === undefined) return ['no transfer']
  const wanted = taskStatusIn(chart, transferStatuses[transfer.status ?? ''] ?? 'in-progress')
  const words = seenOf(chart, task)
  return [
    ...(task.status === wanted ? [] : [`transfer is ${task.status}, not ${wanted}`]),
    ...absent(words, transfer.error_code, 'transfer'),
    ...(transfer.transfer_attempts ?? []).flatMap((each) => absent(words, each.pharmacy_ncpdp_id, 'transfer')),
  ]
}

function staffTaskFaults(
  chart: Chart,
  task: Task | undefined,
  { staffTask, resource }: PriorAuthorizationMatter,
): string[] {
  const wanted = staffTask && taskStatusIn(chart, staffTask)
  if (task?.status !== wanted) return [`staff task is ${task?.status}, not ${wanted}`]
  return task === undefined ? [] : absent(seenOf(chart, task), resource.prescription?.drug_name, 'staff task')
}

/** The elements of a task that the chart does not show. */
function hidesOf({ profile }: Chart): readonly string[] {
  return profile.types.Task?.hides ?? []
}

/** A task as a reader of the chart sees it. */
function seenOf(chart: Chart, task: Task): string {
  const hides = hidesOf(chart)
  return JSON.stringify(Object.fromEntries(Object.entries(task).filter(([name]) => !hides.includes(name))))
}

/** `hasAll`: it also says what goes on after the result. */
function textFaults(text: string, resource: PriorAuthorization, { hasAll }: { hasAll: boolean }): string[] {
  const told = toldOutcome(resource)
  const isUnneeded = told?.detail_code === 'prior_auth_not_required'
  const isApproved = resultOf(told) === 'Approved'
  const word = isApproved ? /approved/i : /denied/i
  const isDecided = resource.status === 'completed' && !isUnneeded && (isApproved || told?.result === 'Denied')
  const transfer = resource.prescription_transfer?.status
  const isTransferTold = transfer !== undefined && (hasAll || ['completed', 'error', 'cancelled'].includes(transfer))
  const endings: Partial<Record<string, RegExp>> = {
    failed: /fail/i,
    not_submitted: /not submitted/i,
    cancelled: /cancel/i,
  }
  return [
    ...absent(text, resource.prescription?.drug_name, 'document'),
    ...absent(text, resource.prescription?.strength, 'document'),
    ...unlabelled(text, 'Quantity', resource.prescription?.quantity),
    ...unlabelled(text, 'Days of supply', resource.prescription?.days_supply),
    ...(resource.diagnoses ?? []).flatMap(({ code }) => absent(text, code, 'document')),
    ...absent(text, told?.detail, 'document'),
    ...absent(text, told?.detail_code, 'document'),
    ...(told === undefined ? present(text, resource.outcome?.detail, 'document') : []),
    ...(isDecided && !word.test(text) ? [`the document does not say ${told?.result}`] : []),
    ...(isDecided && isApproved && /denied/i.test(text) ? ['the document speaks of a denial'] : []),
    ...(endings[resource.status]?.test(text) === false ? [`the document does not say ${resource.status}`] : []),
    ...(isDecided && isApproved ? absentDate(text, told?.authorization_expiration) : []),
    ...(isDecided && isApproved ? absentDate(text, told?.authorization_start_date) : []),
    ...(told?.result === 'Denied'
      ? Object.values(resource.denial_reason_analysis ?? {}).flatMap((words) => absent(text, words, 'document'))
      : []),
    ...(nextStepOf(resource)?.test(text) === false ? ['the document does not say what to do next'] : []),
    ...(isTransferTold ? absent(text.toLowerCase(), 'transfer', 'document') : []),
  ]
}

/** Next step of a person, by the status of a running PA or the reason of an ended one. */
const steps: Partial<Record<string, RegExp>> = {
  awaiting_review: /review the request, then submit it/i,
  awaiting_provider_response: /supply the information requested from the prescriber/i,
  more_information_required: /supply the missing information in a new request/i,
  patient_consent_required: /obtain the patient's consent/i,
  formulary_alternative_required: /whether a drug of the formulary is an option/i,
}

/** The next step, where the service gives no advice of its own. */
function nextStepOf(resource: PriorAuthorization): RegExp | undefined {
  if (!ended.includes(resource.status)) return steps[resource.status] ?? /none at present/i
  return steps[toldOutcome(resource)?.detail_code ?? '']
}

/** A date may be written as ISO or as people write it in the United States. */
function absentDate(text: string, iso: string | undefined): string[] {
  if (iso === undefined) return []
  const date = new Date(`${iso}T00:00:00Z`)
  const forms = (['short', 'long'] as const).map((month) =>
    date.toLocaleDateString('en-US', { year: 'numeric', month, day: 'numeric', timeZone: 'UTC' }),
  )
  const numeric = date.toLocaleDateString('en-US', { timeZone: 'UTC' })
  return [iso, numeric, ...forms].some((form) => text.includes(form)) ? [] : [`document lacks the date ${iso}`]
}
