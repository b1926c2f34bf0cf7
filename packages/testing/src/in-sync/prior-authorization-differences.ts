import type { ClaimResponse, DocumentReference, Task } from 'fhir/r4.js'
import { textCount } from './text-count.ts'
import { isApproved } from 'pawl-client/schemas/outcome'
import { type PrescriptionTransfer, type PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { priorAuthorizationNarrative } from '@pawl/ehr/narrative/prior-authorization-narrative'
import { compareDocument } from './document-differences.ts'
import { createDifferences, type Differences, isAbout } from './differences.ts'
import type { Services } from '../services/start-services.ts'

interface Systems {
  fhir: Pick<Services['fhir'], 'search'>
  pharmacy: Pick<Services['pharmacy'], 'transfers'>
}

/** Parts of a PA that chart or pharmacy may hold. */
export const facets = [
  'status',
  'state',
  'staff task',
  'messages',
  'attachments',
  'faxes and calls',
  'transfer in the chart',
  'transfer at the pharmacy',
] as const
export type Facet = (typeof facets)[number]

/** Compares chart and pharmacy with the service's truth about a PA, facet by facet. */
export async function priorAuthorizationDifferences(
  systems: Systems,
  pa: PriorAuthorization,
  options: { of?: readonly Facet[]; differences?: Differences; patient?: string | undefined } = {},
): Promise<string[]> {
  const { of = facets.filter((facet) => facet !== 'status'), differences = createDifferences(), patient } = options
  for (const facet of of) await compare[facet](differences, systems, pa)
  if (patient !== undefined) await comparePatient(differences, systems, pa, patient)
  return differences.found
}

type Compare = (differences: Differences, systems: Systems, pa: PriorAuthorization) => Promise<void> | void

const compare: Record<Facet, Compare> = {
  async status({ expect }, { fhir }, pa) {
    const chart = await taskOf(fhir, 'prior-authorization', pa.id)
    expect('Task.businessStatus', chart?.businessStatus?.text, pa.status)
    expect('Task.status', chart?.status, taskStatuses[pa.status])
  },
  async state(differences, systems, pa) {
    const { fhir } = systems
    const { expect } = differences
    await compare.status(differences, systems, pa)
    const chart = await taskOf(fhir, 'prior-authorization', pa.id)
    if (pa.status === 'not_submitted') expect('Task.statusReason', chart?.statusReason?.text, pa.outcome?.detail_code)
    if (pa.status === 'completed') {
      const result = chart?.output?.find(({ type }) => type.text === 'Result')?.valueString
      expect('the result in the Task', result, isApproved(pa.outcome) ? 'Approved' : pa.outcome?.result)
    }
    const documents = await fhir.search('DocumentReference')
    const document = documents.findLast((each) => isAbout(each, 'prior-authorization', pa.id))
    compareDocument(differences, document, priorAuthorizationNarrative(pa))
    const claims = await fhir.search('ClaimResponse')
    compareDetermination(
      differences,
      claims.find((claim) => isAbout(claim, 'prior-authorization', pa.id)),
      pa,
    )
  },
  async 'staff task'({ expect }, { fhir }, pa) {
    const staffTask = await taskOf(fhir, 'prior-authorization-staff-task', pa.id)
    const isOpen = staffTask !== undefined && ['requested', 'accepted', 'in-progress'].includes(staffTask.status)
    expect('the open staff task', isOpen ? staffTask.businessStatus?.text : undefined, reasonToAct(pa))
  },
  async messages({ expect }, { fhir }, pa) {
    const written = (await fhir.search('Communication')).filter(({ partOf = [] }) =>
      partOf.some(({ identifier }) => identifier?.value === pa.id),
    )
    const messages = pa.message_thread?.messages ?? []
    expect('number of messages in the chart', written.length, messages.length)
    for (const { id, content } of messages) {
      const communication = written.find((each) => isAbout(each, 'prior-authorization-message', `${pa.id}/${id}`))
      expect(`message ${id}`, communication?.payload?.[0]?.contentString, content)
    }
  },
  async attachments({ expect }, { fhir }, { id, message_thread: thread }) {
    const documents = await fhir.search('DocumentReference')
    for (const message of thread?.messages ?? [])
      for (const [index, attachment] of (message.attachments ?? []).entries()) {
        const key = `${id}/${message.id}/${attachment.id ?? index}`
        const filed = documents.some((each) => isAbout(each, 'document', key) && each.content.length > 0)
        expect(`attachment ${index} of message ${message.id} filed`, filed, true)
      }
  },
  async 'faxes and calls'({ expect }, { fhir }, { id, activity_log: log = [] }) {
    const documents = await fhir.search('DocumentReference')
    for (const [index, activity] of log.entries()) {
      // A fax may be announced before its file exists.
      if (activity.type !== 'follow_up_call' && activity.details?.url === undefined) continue
      const kind = activity.type === 'follow_up_call' ? 'note' : 'document'
      const document = documents.find((each) => isAbout(each, kind, `${id}/${activity.id}`))
      expect(`activity ${index} filed`, document !== undefined, true)
      const [said] = (activity.type === 'follow_up_call' && textCount.exec(activity.details?.notes ?? '')) || []
      if (said !== undefined && document !== undefined)
        expect(`the notes of activity ${index} in the chart`, textOf(document).includes(said), true)
    }
  },
  async 'transfer in the chart'(differences, { fhir }, { id, prescription_transfer: transfer }) {
    if (transfer !== undefined) compareTransfer(differences, await taskOf(fhir, 'prescription-transfer', id), transfer)
  },
  'transfer at the pharmacy'({ expect }, { pharmacy }, { id, prescription_transfer: transfer }) {
    if (transfer === undefined) return
    const told = pharmacy.transfers.get(id)
    expect('transfer at the pharmacy', told?.status, transfer.status)
    expect('confirmed at the pharmacy', told?.confirmed, transfer.confirmed)
    expect('transfer attempts at the pharmacy', told?.attempts, transfer.transfer_attempts?.length)
  },
}

/** The text of all its readable attachments. */
function textOf({ content }: DocumentReference): string {
  return content.map(({ attachment }) => Buffer.from(attachment.data ?? '', 'base64').toString('latin1')).join('\n')
}

/** Records about a PA belong in its patient's chart. */
async function comparePatient({ expect }: Differences, { fhir }: Systems, { id }: PriorAuthorization, patient: string) {
  const records = [
    ...(await fhir.search('Task')).map((task) => ({ ...task, subject: task.for })),
    ...(await fhir.search('ClaimResponse')).map((claim) => ({ ...claim, subject: claim.patient })),
    ...(await fhir.search('Communication')),
    ...(await fhir.search('DocumentReference')),
  ]
  for (const { resourceType, identifier = [], subject } of records)
    if (identifier.some(({ value }) => value?.split('/')[0] === id))
      expect(`a ${resourceType} in the right patient's chart`, subject?.reference === `Patient/${patient}`, true)
}

async function taskOf(fhir: Systems['fhir'], kind: string, id: string): Promise<Task | undefined> {
  return (await fhir.search('Task')).find((task) => isAbout(task, kind, id))
}

/** Expected status of a PA's Task, written independently of the mapping. */
export const taskStatuses: Record<string, Task['status']> = {
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
  const other = outcome?.result === 'Other' ? outcome.detail_code : undefined
  expect('ClaimResponse.disposition', claim?.disposition, isApproved(outcome) ? 'Approved' : (other ?? outcome?.result))
  expect('ClaimResponse.processNote', claim?.processNote?.[0]?.text, outcome?.detail)
  const isDated = outcome?.authorization_start_date !== undefined || outcome?.authorization_expiration !== undefined
  const period =
    isApproved(outcome) && isDated
      ? { start: dayOf(outcome?.authorization_start_date), end: dayOf(outcome?.authorization_expiration) }
      : undefined
  const { start, end } = claim?.preAuthPeriod ?? {}
  expect('the authorized period', claim?.preAuthPeriod && { start: dayOf(start), end: dayOf(end) }, period)
}

function dayOf(date: string | undefined): string | undefined {
  return date?.slice(0, '2026-01-01'.length)
}

/** Reason for staff to act: the PA waits for people, ended because it lacked their input, or was denied and may be appealed. */
function reasonToAct({ status, outcome }: PriorAuthorization): string | undefined {
  if (status === 'awaiting_review' || status === 'awaiting_provider_response') return status
  const code = outcome?.detail_code ?? ''
  const isMissing = ['more_information_required', 'patient_consent_required'].includes(code)
  if (isMissing && ['not_submitted', 'completed', 'failed'].includes(status)) return code
  return status === 'completed' && outcome?.result === 'Denied' ? 'denied' : undefined
}

function compareTransfer({ expect }: Differences, task: Task | undefined, transfer: PrescriptionTransfer): void {
  const { status, error_code, confirmed, transfer_attempts = [], confirmation_attempts = [] } = transfer
  const output = task?.output ?? []
  const count = (label: string) => output.filter(({ type }) => type.text?.startsWith(label)).length
  expect('transfer Task', task?.businessStatus?.text, status)
  if (status === 'error' && error_code !== undefined)
    expect('the error of the transfer in the chart', task?.statusReason?.text, error_code)
  expect('confirmed in the chart', output.find(({ type }) => type.text === 'Confirmed')?.valueBoolean, confirmed)
  expect('transfer attempts in the chart', count('Transfer attempt'), transfer_attempts.length)
  expect('confirmation attempts in the chart', count('Confirmation attempt'), confirmation_attempts.length)
}
