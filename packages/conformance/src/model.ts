import { isFillable } from 'pawl-client/schemas/outcome'
import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import { priorAuthorizationRows } from '@pawl/sandbox/prior-authorization/states'
import { statusOf, type Verdict, verdicts } from '@pawl/sandbox/prior-authorization/pa-verdict'
import { prescriptionTransferRows, type TransferState } from '@pawl/sandbox/prior-authorization/transfer-states'
import type { Step } from './steps.ts'

/** The state after the steps so far, as far as later steps depend on it. */
export interface Model {
  priorAuthorizations: {
    status: PriorAuthorizationStatus
    /** The previous status: after outreach, a PA returns to it. */
    from: PriorAuthorizationStatus | undefined
    isFillable: boolean
    isDenied: boolean
    hasTransfer: boolean
    transfer: TransferState | undefined
  }[]
  benefitVerifications: { isPending: boolean }[]
  restarts: number
  steps: Step[]
}

export function emptyModel(): Model {
  return { priorAuthorizations: [], benefitVerifications: [], restarts: 0, steps: [] }
}

export function nextStatuses({
  status,
  from: before,
}: Pick<Model['priorAuthorizations'][number], 'status' | 'from'>): PriorAuthorizationStatus[] {
  const returns = ({ from, to }: { from: string; to: string }) =>
    from !== 'awaiting_provider_response' || to !== 'processing' || before === 'processing'
  return [...new Set(priorAuthorizationRows.filter((row) => row.from === status && returns(row)).map(({ to }) => to))]
}

/** The outcomes with which a PA can end in this status. */
export function outcomesOf(status: PriorAuthorizationStatus): Verdict[] {
  return verdicts.filter((verdict) => statusOf(verdict) === status)
}

/** Empty without a transfer. */
export function nextTransferStates({ transfer }: { transfer: TransferState | undefined }): TransferState[] {
  return [...new Set(prescriptionTransferRows.filter(({ from }) => from === transfer).map(({ to }) => to))]
}

/** Applies a taken step to the model. */
export function advance(model: Model, step: Step): void {
  model.steps.push(step)
  switch (step.do) {
    case 'create_pa':
      model.priorAuthorizations.push({
        status: 'created',
        from: undefined,
        isFillable: isFillable(step),
        isDenied: step.result === 'Denied',
        hasTransfer: step.transfer,
        transfer: undefined,
      })
      break
    case 'create_bv':
      model.benefitVerifications.push({ isPending: true })
      break
    case 'move_pa': {
      const pa = model.priorAuthorizations[step.pa]
      if (pa === undefined) break
      pa.from = pa.status
      pa.status = step.to
      if (step.result !== undefined) {
        pa.isFillable = isFillable({ result: step.result, detail_code: step.code })
        pa.isDenied = step.result === 'Denied'
      }
      if (pa.status === 'completed' && pa.hasTransfer && pa.isFillable) pa.transfer = 'waiting'
      break
    }
    case 'move_bv': {
      const bv = model.benefitVerifications[step.bv]
      if (bv !== undefined) bv.isPending = false
      break
    }
    case 'move_transfer': {
      const pa = model.priorAuthorizations[step.pa]
      // The generator picks only states of transfers.
      if (pa !== undefined) pa.transfer = step.to as TransferState
      break
    }
    case 'restart':
    case 'kill':
      model.restarts += 1
      break
    case 'move_outreach':
    case 'message':
    case 'activity':
    case 'benefits_check':
    case 'redeliver':
    case 'redeliver_stale':
    case 'forge':
    case 'expire_files':
    case 'leave_out':
    case 'answer_unknown_values':
    case 'answer_known_values':
    case 'correct_outcome':
    case 'hold_back_faxes':
    case 'staff_complete':
    case 'fail':
    case 'heal':
    case 'meet_faults':
    case 'answer_search_carelessly':
    case 'staff_edit':
    case 'set_clock':
    case 'settle':
      break
  }
}
