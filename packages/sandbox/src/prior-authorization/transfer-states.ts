import { hours, minutes, type Row } from '../platform/machine.ts'

/** The steps of a transfer; `publicStatus` maps them to the resource's status. */
export type TransferState =
  | 'waiting'
  | 'attempted'
  | 'awaiting_provider_response'
  | 'reattempted'
  | 'unconfirmed'
  | 'confirmed'
  | 'completed'
  | 'error'
  | 'cancelled'

export type TransferCondition =
  'isRefused' | 'awaitsProvider' | 'isRetried' | 'isUnconfirmedFirst' | 'isNeverConfirmed' | 'fails'

/** `prescription_transfer.status` of each step (supplement, Statuses). */
export const publicStatus: Record<
  TransferState,
  'in_progress' | 'awaiting_provider_response' | 'completed' | 'error' | 'cancelled'
> = {
  waiting: 'in_progress',
  attempted: 'in_progress',
  awaiting_provider_response: 'awaiting_provider_response',
  reattempted: 'in_progress',
  unconfirmed: 'in_progress',
  confirmed: 'in_progress',
  completed: 'completed',
  error: 'error',
  cancelled: 'cancelled',
}

/** What a control's push to a state may carry, as the request names it. */
export function fieldsOfTransferPush(to: string): ('error_code' | 'pharmacy_ncpdp_id')[] {
  if (to === 'error') return ['error_code']
  return to === 'attempted' || to === 'reattempted' ? ['pharmacy_ncpdp_id'] : []
}

const running: readonly TransferState[] = [
  'waiting',
  'attempted',
  'awaiting_provider_response',
  'reattempted',
  'unconfirmed',
  'confirmed',
]

/** The transitions of a transfer, which starts once the PA is approved or not required (specification, States). The delays are guesses. */
export const prescriptionTransferRows: readonly Row<TransferState, TransferCondition>[] = [
  { from: 'waiting', to: 'attempted', after: minutes(5, 30) },
  { from: 'attempted', to: 'error', after: minutes(30, 120), when: 'isRefused' },
  { from: 'attempted', to: 'awaiting_provider_response', after: hours(1, 4), when: 'awaitsProvider' },
  { from: 'attempted', to: 'reattempted', after: hours(1, 4), when: 'isRetried' },
  { from: 'attempted', to: 'unconfirmed', after: hours(1, 4), when: 'isUnconfirmedFirst' },
  { from: 'attempted', to: 'confirmed', after: hours(1, 4) },
  { from: 'awaiting_provider_response', to: 'reattempted', after: hours(4, 24) },
  { from: 'reattempted', to: 'error', after: hours(1, 4), when: 'fails' },
  { from: 'reattempted', to: 'confirmed', after: hours(1, 4) },
  { from: 'unconfirmed', to: 'error', after: hours(1, 4), when: 'isNeverConfirmed' },
  { from: 'unconfirmed', to: 'confirmed', after: hours(1, 4) },
  { from: 'confirmed', to: 'completed', after: minutes(5, 30) },
  ...running.map((from) => ({ from, to: 'cancelled' as const })),
]
