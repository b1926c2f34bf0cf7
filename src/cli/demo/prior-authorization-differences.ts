import type { ClaimResponse, Task } from 'fhir/r4.js'
import { isApproved, type PrescriptionTransfer, type PriorAuthorization } from '../../resources/prior-authorization.ts'
import { createDifferences, type Differences, isAbout } from './differences.ts'
import type { Stage } from './stage.ts'

type Systems = Pick<Stage, 'fhir' | 'pharmacy'>

/** What chart and pharmacy say of a PA against the service's truth. */
export async function priorAuthorizationDifferences(
  { fhir, pharmacy }: Systems,
  pa: PriorAuthorization,
): Promise<string[]> {
  const differences = createDifferences()
  const { expect, found } = differences
  const tasks = await fhir.search('Task')
  const taskOf = (kind: string) => tasks.find((task) => isAbout(task, kind, pa.id))

  const chart = taskOf('prior-authorization')
  expect('Task.businessStatus', chart?.businessStatus?.text, pa.status)
  expect('Task.status', chart?.status, taskStatuses[pa.status])
  if (pa.status === 'not_submitted') expect('Task.statusReason', chart?.statusReason?.text, pa.outcome?.detail_code)
  if (pa.status === 'completed') {
    const result = chart?.output?.find(({ type }) => type.text === 'Result')?.valueString
    expect('the result in the Task', result, isApproved(pa.outcome) ? 'Approved' : pa.outcome?.result)
  }
  const claims = await fhir.search('ClaimResponse')
  compareDetermination(
    differences,
    claims.find((claim) => isAbout(claim, 'prior-authorization', pa.id)),
    pa,
  )

  const staffTask = taskOf('prior-authorization-staff-task')
  const reason = staffTask?.status === 'requested' ? staffTask.businessStatus?.text : undefined
  expect('the open staff task', reason, reasonToAct(pa))

  const written = (await fhir.search('Communication')).filter(({ partOf = [] }) =>
    partOf.some(({ identifier }) => identifier?.value === pa.id),
  )
  const messages = pa.message_thread?.messages ?? []
  expect('number of messages in the chart', written.length, messages.length)
  for (const { id, content } of messages) {
    const communication = written.find((each) => isAbout(each, 'prior-authorization-message', `${pa.id}/${id}`))
    expect(`message ${id}`, communication?.payload?.[0]?.contentString, content)
  }

  const transfer = pa.prescription_transfer
  if (transfer !== undefined) {
    compareTransfer(differences, taskOf('prescription-transfer'), transfer)
    const told = pharmacy.transfers.get(pa.id)
    expect('transfer at the pharmacy', told?.status, transfer.status)
    expect('confirmed at the pharmacy', told?.confirmed, transfer.confirmed)
    expect('transfer attempts at the pharmacy', told?.attempts, transfer.transfer_attempts?.length)
  }
  return found
}

const taskStatuses: Record<string, Task['status']> = {
  created: 'requested',
  processing: 'in-progress',
  awaiting_outcome: 'in-progress',
  validating_outcome: 'in-progress',
  awaiting_review: 'on-hold',
  awaiting_provider_response: 'on-hold',
  completed: 'completed',
  failed: 'failed',
  not_submitted: 'rejected',
  cancelled: 'cancelled',
}

function compareDetermination(
  { expect }: Differences,
  claim: ClaimResponse | undefined,
  { status, outcome }: PriorAuthorization,
): void {
  if (status === 'cancelled' && claim !== undefined) expect('ClaimResponse.status', claim.status, 'cancelled')
  if (status.startsWith('awaiting_')) expect('ClaimResponse.outcome', claim?.outcome, 'queued')
  if (status !== 'completed') return
  expect('ClaimResponse.outcome', claim?.outcome, 'complete')
  expect('ClaimResponse.disposition', claim?.disposition, isApproved(outcome) ? 'Approved' : outcome?.result)
  expect('ClaimResponse.processNote', claim?.processNote?.[0]?.text, outcome?.detail)
  const period = isApproved(outcome)
    ? { start: dayOf(outcome?.authorization_start_date), end: dayOf(outcome?.authorization_expiration) }
    : undefined
  const { start, end } = claim?.preAuthPeriod ?? {}
  expect('the authorized period', claim?.preAuthPeriod && { start: dayOf(start), end: dayOf(end) }, period)
}

function dayOf(date: string | undefined): string | undefined {
  return date?.slice(0, '2026-01-01'.length)
}

/** The PA waits for people, or ended for want of what only they can give, or in a denial that they may appeal. */
function reasonToAct({ status, outcome }: PriorAuthorization): string | undefined {
  if (status === 'awaiting_review' || status === 'awaiting_provider_response') return status
  const isMissing = outcome?.detail_code === 'more_information_required'
  if (isMissing && ['not_submitted', 'completed'].includes(status)) return 'more_information_required'
  return status === 'completed' && outcome?.result === 'Denied' ? 'denied' : undefined
}

function compareTransfer({ expect }: Differences, task: Task | undefined, transfer: PrescriptionTransfer): void {
  const { status, confirmed, transfer_attempts = [], confirmation_attempts = [] } = transfer
  const output = task?.output ?? []
  const count = (label: string) => output.filter(({ type }) => type.text?.startsWith(label)).length
  expect('transfer Task', task?.businessStatus?.text, status)
  expect('confirmed in the chart', output.find(({ type }) => type.text === 'Confirmed')?.valueBoolean, confirmed)
  expect('transfer attempts in the chart', count('Transfer attempt'), transfer_attempts.length)
  expect('confirmation attempts in the chart', count('Confirmation attempt'), confirmation_attempts.length)
}
