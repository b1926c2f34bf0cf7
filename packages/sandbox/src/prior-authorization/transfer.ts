import type { Platform } from '../platform.ts'
import type { Machine } from '../platform/machine.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import type { TransferErrorCode } from 'pawl-client/schemas/outcome'
import type { ShownTransfer } from 'pawl-client/schemas/prior-authorization'
import {
  prescriptionTransferRows,
  publicStatus,
  type TransferCondition,
  type TransferState,
} from './transfer-states.ts'

/** What a control's push of a transfer may carry. */
export interface TransferPush {
  errorCode?: TransferErrorCode
  /** The pharmacy of the attempt: seven digits. */
  pharmacyNcpdpId?: string
}

/** Errors in the pharmacy's first answer, before any attempt to confirm. */
const refusals: readonly (string | null)[] = [
  'pharmacy_does_not_exist',
  'pharmacy_permanently_closed',
  'pharmacy_unable_to_accept_transfer',
  'other',
]
const unconfirmed: readonly (string | null)[] = [
  'pharmacy_unable_to_fill_prescription',
  'prescription_transfer_not_received',
]

/** A transfer without attempts. */
function newTransfer(status: ShownTransfer['status']): ShownTransfer {
  return { status, confirmed: false, error_code: null, transfer_attempts: [], confirmation_attempts: [] }
}

/** Conditions and effects of the transfer table. Every visible step emits an event, except the start (specification, Events). */
export function prescriptionTransferMachine(
  platform: Platform,
): Machine<PriorAuthorizationRecord, TransferState, TransferCondition> {
  const { clock, emit, random } = platform
  return {
    name: 'prescription_transfer',
    rows: prescriptionTransferRows,
    progressOf: (record) => record.transfer,
    detailOf: ({ script }, to) => (to === 'error' ? (script.transferErrorCode ?? 'other') : undefined),
    conditions: {
      isRefused: ({ script }) => refusals.includes(script.transferErrorCode),
      awaitsProvider: ({ script }) => script.isTransferAwaitingProvider,
      isRetried: ({ script }) => script.transferErrorCode === 'transfer_timed_out' || script.isTransferRetried,
      fails: ({ script }) => script.transferErrorCode !== null,
      isUnconfirmedFirst: ({ script }) =>
        unconfirmed.includes(script.transferErrorCode) || script.isTransferUnconfirmedFirst,
      isNeverConfirmed: ({ script }) => unconfirmed.includes(script.transferErrorCode),
    },
    entered: (record, state) => {
      const { resource, script, organization } = record
      const transfer = (resource.prescription_transfer ??= newTransfer('in_progress'))
      const timestamp = clock.iso()
      transfer.status = publicStatus[state]
      if (state === 'waiting') return
      if (state === 'attempted' || state === 'reattempted')
        transfer.transfer_attempts.push({ timestamp, pharmacy_ncpdp_id: pharmacyOf(record, random) })
      if (state === 'unconfirmed') transfer.confirmation_attempts.push({ timestamp, outcome: 'failed' })
      if (state === 'confirmed') {
        transfer.confirmation_attempts.push({ timestamp, outcome: 'success' })
        transfer.confirmed = true
      }
      if (state === 'error') transfer.error_code = script.transferErrorCode ?? 'other'
      emit({ organization, type: 'prior_authorization.prescription_transfer_change', resource })
    },
  }
}

/** NCPDP id of the pushed pharmacy, else of the preferred one. Invented if the client only described the pharmacy. */
function pharmacyOf({ id, resource, script }: PriorAuthorizationRecord, random: Platform['random']): string {
  if (script.pushedPharmacy !== undefined) return script.pushedPharmacy
  return resource.ndp_submission?.preferred_pharmacy_ncpdp_id ?? random.fork(`${id}/pharmacy`).digits(7)
}

/** Why a PA has no transfer, or none yet. */
export function transferMissing({ resource, isTransferCancelled }: PriorAuthorizationRecord): string {
  if (resource.ndp_submission === null) return 'not requested, without ndp_submission'
  if (isTransferCancelled === true) return 'cancelled before it began'
  return 'begins once the PA is approved, or needs no PA'
}
