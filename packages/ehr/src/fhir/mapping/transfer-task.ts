import type { Reference, Task, TaskOutput } from 'fhir/r4.js'
import type { PrescriptionTransfer, PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { dispensingPharmacyNcpdpId } from 'pawl-client/schemas/dispensing-pharmacy'
import type { MappingContext } from './context.ts'
import { prescriptionLine } from './drug.ts'
import { filled, join, text, toDateTime } from '../../primitives.ts'
import { identifierOf, priorAuthorizationTask, referenceTo } from './references.ts'
import { subjectLine } from './subject-line.ts'

const ncpdp = 'http://terminology.hl7.org/CodeSystem/NCPDPProviderIdentificationNumber'

const statuses: ReadonlyMap<string, Task['status']> = new Map<string, Task['status']>([
  ['in_progress', 'in-progress'],
  ['awaiting_provider_response', 'on-hold'],
  ['completed', 'completed'],
  ['error', 'failed'],
  ['cancelled', 'cancelled'],
])

/** The state of a PA's prescription transfer as a Task; undefined without a transfer. An owner that staff set in `previous` stays. */
export function toTransferTask(context: MappingContext, pa: PriorAuthorization, previous?: Task): Task | undefined {
  const transfer = pa.prescription_transfer
  if (transfer === undefined) return undefined
  const reason = transfer.status === 'error' ? (text(transfer.error_code) ?? 'other') : undefined
  return {
    resourceType: 'Task',
    identifier: [identifierOf(context.base, 'prescription-transfer', pa.id)],
    partOf: [priorAuthorizationTask(context.base, pa.id)],
    status: statuses.get(transfer.status ?? '') ?? 'in-progress',
    statusReason: reason === undefined ? undefined : { text: reason },
    businessStatus: { text: text(transfer.status) ?? 'unknown' },
    intent: 'order',
    code: {
      coding: [{ system: 'http://hl7.org/fhir/CodeSystem/task-code', code: 'fulfill' }],
      text: 'Prescription transfer',
    },
    description: join([prescriptionLine(pa.prescription), subjectLine(pa)], '\n'),
    for: context.patient,
    lastModified: context.now,
    owner: isPharmacy(previous?.owner) ? pharmacyReference(pa) : previous?.owner,
    output: filled(outputOf(transfer)),
  }
}

function pharmacyReference(priorAuthorization: PriorAuthorization): Reference | undefined {
  const value = dispensingPharmacyNcpdpId(priorAuthorization)
  if (value === undefined) return undefined
  return referenceTo('Organization', { system: ncpdp, value })
}

/** Whether the task belongs to the pharmacy or has no owner. */
function isPharmacy(owner: Reference | undefined): boolean {
  return owner === undefined || owner.identifier?.system === ncpdp
}

function outputOf({ confirmed, transfer_attempts, confirmation_attempts }: PrescriptionTransfer): TaskOutput[] {
  const confirmation = confirmed === undefined ? [] : [{ type: { text: 'Confirmed' }, valueBoolean: confirmed }]
  const transfers = (transfer_attempts ?? []).map(({ timestamp, pharmacy_ncpdp_id }) =>
    attempt(`Transfer attempt to ${text(pharmacy_ncpdp_id) ?? 'an unnamed pharmacy'}`, timestamp),
  )
  const confirmations = (confirmation_attempts ?? []).map(({ timestamp, outcome }) =>
    attempt(`Confirmation attempt: ${text(outcome) ?? 'unknown'}`, timestamp),
  )
  return [...confirmation, ...transfers, ...confirmations]
}

function attempt(label: string, timestamp: string | undefined): TaskOutput {
  const at = toDateTime(timestamp)
  return at === undefined
    ? { type: { text: label }, valueString: 'at an unknown time' }
    : { type: { text: label }, valueDateTime: at }
}
