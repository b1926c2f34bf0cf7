import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import type { Verdict } from '@pawl/sandbox/prior-authorization/pa-verdict'
import type { Step } from './steps.ts'

const settle: Step = { do: 'settle' }

/** A step that creates a PA, to be approved by default. */
export function created(fields: Omit<Extract<Step, { do: 'create_pa' }>, 'do' | 'result'>): Step {
  return { do: 'create_pa', result: 'Approved', ...fields }
}

/** A denial with its appeal beside another case of the same patient, messages, files, calls and checks. */
export function histories(): Step[] {
  return [
    { do: 'create_pa', result: 'Denied', transfer: false },
    created({ patient: 0, transfer: true }),
    settle,
    { do: 'message', pa: 0, count: 12, resolves: true },
    { do: 'expire_files', pa: 1 },
    { do: 'message', pa: 1, attachments: 2 },
    settle,
    { do: 'expire_files', pa: 0 },
    { do: 'activity', pa: 0, type: 'sent_fax' },
    { do: 'activity', pa: 0, type: 'received_fax' },
    { do: 'activity', pa: 1, type: 'follow_up_call' },
    { do: 'benefits_check', pa: 1 },
    // The thread is resolved, then continues.
    { do: 'message', pa: 1, resolves: true },
    settle,
    { do: 'message', pa: 1 },
    { do: 'move_pa', pa: 0, to: 'processing' },
    { do: 'move_pa', pa: 0, to: 'awaiting_outcome' },
    { do: 'move_pa', pa: 0, to: 'completed', result: 'Denied', code: 'step_therapy_criteria_not_met' },
    settle,
    created({ patient: 0, transfer: true, appeals: 0 }),
    { do: 'message', pa: 0, attachments: 1 },
    settle,
    { do: 'message', pa: 2, count: 2 },
    { do: 'move_pa', pa: 2, to: 'processing' },
    { do: 'move_pa', pa: 2, to: 'awaiting_outcome' },
    { do: 'leave_out', pa: 1 },
    { do: 'move_pa', pa: 1, to: 'processing' },
    settle,
    { do: 'answer_unknown_values', pa: 2, where: 'outcome' },
    settle,
    // Its end also comes with an unknown result.
    { do: 'move_pa', pa: 2, to: 'completed', result: 'Approval', code: 'approval' },
    { do: 'answer_unknown_values', pa: 2, where: 'outcome' },
    settle,
    { do: 'move_transfer', pa: 2, to: 'attempted' },
    { do: 'answer_unknown_values', pa: 2, where: 'transfer' },
    { do: 'activity', pa: 2, type: 'follow_up_call' },
    settle,
    { do: 'restart' },
    settle,
  ]
}

/** Denials, one told after its appeal; PAs that verify benefits and then continue or end; and PAs with optional fields omitted. */
export function companions(): Step[] {
  const denied = { to: 'completed', result: 'Denied', code: 'step_therapy_criteria_not_met' } as const
  const all = [0, 1, 2, 3, 4, 5]
  const move = (to: PriorAuthorizationStatus, pas: readonly number[] = all) => {
    return pas.map((pa): Step => ({ do: 'move_pa', pa, to }))
  }
  return [
    created({ patient: 0, transfer: false, verifies: true }),
    created({ patient: 1, transfer: false, verifies: true }),
    created({ patient: 1, transfer: true, sparse: true }),
    created({ patient: 2, transfer: false, sparse: true }),
    created({ patient: 0, transfer: false }),
    created({ patient: 2, transfer: false }),
    settle,
    ...move('processing'),
    settle,
    { do: 'move_bv', bv: 0, to: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
    { do: 'move_bv', bv: 1, to: 'completed', case: 'drugs_covered__prior_auth_not_required__has_copay' },
    settle,
    ...move('awaiting_outcome', [0, 2, 3, 4, 5]),
    settle,
    ...move('completed', [0, 2]),
    ...[3, 4].map((pa): Step => ({ do: 'move_pa', pa, ...denied })),
    settle,
    created({ patient: 0, transfer: false, appeals: 4 }),
    { do: 'move_pa', pa: 5, ...denied, sent: 'late' },
    created({ patient: 2, transfer: false, appeals: 5 }),
    ...move('processing', [6, 7]),
    settle,
    { do: 'answer_unknown_values', pa: 0, where: 'detail_code' },
    { do: 'answer_unknown_values', pa: 3, where: 'detail_code' },
    { do: 'answer_unknown_values', pa: 6, where: 'activity' },
    { do: 'move_transfer', pa: 2, to: 'attempted' },
    settle,
  ]
}

/** PAs and transfers in an unknown state for a while, beside some with the same course without it, and some that end otherwise. */
export function unheardOf(): Step[] {
  const move = (to: PriorAuthorizationStatus, ...pas: number[]) => pas.map((pa): Step => ({ do: 'move_pa', pa, to }))
  const transfer = (to: string, ...pas: number[]) => pas.map((pa): Step => ({ do: 'move_transfer', pa, to }))
  const hide = (pa: number, where?: 'transfer'): Step => ({ do: 'answer_unknown_values', pa, ...(where && { where }) })
  return [
    ...[0, 1, 2, 0, 1, 2, 0].map((patient) => created({ patient, transfer: false })),
    ...[0, 1, 2, 0].map((patient) => created({ patient, transfer: true })),
    settle,
    ...move('processing', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    settle,
    ...move('awaiting_review', 0, 1, 3, 4, 5, 6),
    ...move('awaiting_outcome', 7, 8, 9, 10),
    settle,
    hide(0),
    hide(2),
    ...move('awaiting_outcome', 1),
    ...move('completed', 7, 8, 9, 10),
    settle,
    ...move('awaiting_outcome', 0, 2),
    ...move('cancelled', 3),
    ...move('failed', 4),
    ...move('not_submitted', 5),
    ...transfer('attempted', 7, 8, 9, 10),
    settle,
    ...transfer('awaiting_provider_response', 7, 8, 9, 10),
    settle,
    ...move('awaiting_outcome', 6),
    ...move('completed', 0, 1, 2),
    hide(7, 'transfer'),
    ...transfer('reattempted', 8),
    ...transfer('cancelled', 9),
    ...transfer('reattempted', 10),
    settle,
    ...transfer('reattempted', 7),
    ...transfer('error', 10),
    ...move('completed', 6),
    settle,
    ...transfer('confirmed', 7, 8),
    settle,
    ...transfer('completed', 7, 8),
    settle,
  ]
}

/** Denials with an unknown code, a transfer that needed no PA, a patient's cases that wait at once, another case after a denial, and benefit checks whose costs change or are zero. */
export function unclear(): Step[] {
  const move = (to: PriorAuthorizationStatus, ...pas: number[]) => pas.map((pa): Step => ({ do: 'move_pa', pa, to }))
  const end = (pa: number, result: 'Approved' | 'Denied' | 'Other', code: Verdict['detail_code']): Step => {
    return { do: 'move_pa', pa, to: 'completed', result, code }
  }
  const check = (pa: number, cost: string): Step => ({ do: 'benefits_check', pa, cost })
  return [
    ...[0, 1, 2].map((patient) => created({ patient, transfer: false })),
    ...[0, 1].map((patient) => created({ patient, transfer: true })),
    ...[2, 2, 1].map((patient) => created({ patient, transfer: false })),
    // The service checks the benefits only of PAs that may be transferred.
    ...[0, 1, 2].map((patient) => created({ patient, transfer: true })),
    ...[0, 1].map((patient) => created({ patient, transfer: false })),
    settle,
    ...move('processing', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    check(8, '30.00'),
    settle,
    ...move('awaiting_outcome', 0, 1, 2, 3, 4, 8, 9, 10, 11, 12),
    ...move('awaiting_provider_response', 5, 7),
    check(8, '40.25'),
    settle,
    ...move('awaiting_provider_response', 6),
    end(0, 'Denied', 'unknown'),
    end(1, 'Denied', 'plan_exclusion'),
    end(2, 'Denied', 'plan_exclusion'),
    { do: 'answer_unknown_values', pa: 2, where: 'detail_code' },
    end(3, 'Other', 'prior_auth_not_required'),
    end(4, 'Approved', 'approval'),
    end(11, 'Denied', 'plan_exclusion'),
    end(12, 'Denied', 'plan_exclusion'),
    check(9, '12.00'),
    check(10, '0.00'),
    settle,
    // Another case of a patient whose newest one was denied.
    created({ patient: 1, transfer: false }),
    ...move('processing', 13),
    ...move('awaiting_outcome', 5),
    { do: 'benefits_check', pa: 8, needless: true },
    settle,
  ]
}

/** Approvals with and without a last day: one has a call on a later day, the other no news. */
export function dayLater(): Step[] {
  const move = (to: PriorAuthorizationStatus) => [0, 1].map((pa): Step => ({ do: 'move_pa', pa, to }))
  return [
    created({ patient: 0, transfer: false }),
    created({ patient: 1, transfer: false, sparse: true }),
    { do: 'create_bv', fails: false, drugs: 3 },
    settle,
    ...move('processing'),
    ...move('awaiting_outcome'),
    { do: 'move_bv', bv: 0, to: 'completed' },
    settle,
    ...move('completed'),
    // Two calls on one day, and one on the next.
    { do: 'activity', pa: 0, type: 'follow_up_call' },
    { do: 'activity', pa: 0, type: 'follow_up_call' },
    settle,
    { do: 'set_clock', minutes: 1_500 },
    { do: 'activity', pa: 0, type: 'follow_up_call' },
    settle,
  ]
}
