import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import type { Step, Tour } from './steps.ts'

const settle: Step = { do: 'settle' }
const denial = { result: 'Denied', code: 'plan_exclusion' } as const
const approval = { result: 'Approved', code: 'approval' } as const
type Outcome = Pick<Extract<Step, { do: 'move_pa' }>, 'result' | 'code'>

/** Lists in which the service, a payer or staff withdraw or end an earlier state. */
export const correctedTours: readonly Tour[] = [
  { name: 'corrections', steps: corrections() },
  { name: 'appeals-in-turn', steps: appealsInTurn() },
  { name: 'ended-by-staff', steps: endedByStaff() },
]

function created(patient: number, transfer = false): Step {
  return { do: 'create_pa', result: 'Approved', transfer, patient }
}

function move(to: PriorAuthorizationStatus, ...pas: number[]): Step[] {
  return pas.map((pa): Step => ({ do: 'move_pa', pa, to }))
}

function end(pa: number, outcome: Outcome, sent?: 'dropped'): Step {
  return { do: 'move_pa', pa, to: 'completed', ...outcome, ...(sent && { sent }) }
}

/** Outcomes that change in place, unknown values that are withdrawn, costs and threads that return to an earlier state, and faxes announced before their files exist. */
function corrections(): Step[] {
  const hide = (pa: number, where?: 'transfer'): Step => ({ do: 'answer_unknown_values', pa, ...(where && { where }) })
  const check = (pa: number, cost: string): Step => ({ do: 'benefits_check', pa, cost })
  const reply = (pa: number, resolves: boolean): Step => ({ do: 'message', pa, resolves })
  const fax: Step = { do: 'activity', pa: 6, type: 'received_fax' }
  return [
    ...[0, 1, 2, 0].map((patient) => created(patient)),
    created(1, true),
    created(2),
    // The service checks the benefits only of PAs that may be transferred.
    created(2, true),
    ...[0, 1].map((patient) => created(patient)),
    settle,
    ...move('processing', 0, 1, 2, 3, 4, 5, 6, 7, 8),
    check(6, '30.00'),
    reply(5, true),
    fax,
    settle,
    ...move('awaiting_outcome', 0, 1, 2, 3, 4, 7, 8),
    ...move('awaiting_review', 5),
    check(6, '40.25'),
    reply(5, false),
    { do: 'hold_back_faxes', pa: 6 },
    fax,
    settle,
    end(0, approval),
    end(1, denial),
    end(2, denial),
    end(3, approval),
    end(4, approval),
    { do: 'move_pa', pa: 7, to: 'completed', ...approval, unknown: true },
    { do: 'move_pa', pa: 8, to: 'completed', result: 'Other', code: 'duplicate_request' },
    hide(5),
    check(6, '30.00'),
    settle,
    { do: 'correct_outcome', pa: 0, ...denial },
    { do: 'correct_outcome', pa: 2, ...approval },
    { do: 'correct_outcome', pa: 3, ...approval, days: 500 },
    { do: 'move_transfer', pa: 4, to: 'attempted' },
    { do: 'answer_known_values', pa: 5 },
    { do: 'hold_back_faxes', pa: 6, isOver: true },
    settle,
    hide(4, 'transfer'),
    reply(5, true),
    fax,
    settle,
    { do: 'answer_known_values', pa: 4 },
    settle,
  ]
}

/** An appeal against an appeal, and appeals told before the denial, with restarts and messages in between. */
function appealsInTurn(): Step[] {
  const appeal = (patient: number, appeals: number): Step => {
    return { do: 'create_pa', result: 'Denied', transfer: false, patient, appeals }
  }
  return [
    created(0),
    created(1),
    settle,
    ...move('processing', 0, 1),
    ...move('awaiting_outcome', 0, 1),
    settle,
    end(0, denial),
    // pawl hears of it only at the final sync.
    end(1, denial, 'dropped'),
    settle,
    { do: 'restart' },
    appeal(0, 0),
    appeal(1, 1),
    settle,
    ...move('processing', 2, 3),
    { do: 'message', pa: 0 },
    ...move('awaiting_outcome', 2, 3),
    settle,
    end(2, denial),
    end(3, denial),
    settle,
    appeal(0, 2),
    settle,
    ...move('processing', 4),
    ...move('awaiting_outcome', 4),
    end(4, approval),
    { do: 'message', pa: 2 },
    settle,
  ]
}

/** Tasks that staff complete, beside cases of the same course whose tasks they leave. */
function endedByStaff(): Step[] {
  const way: PriorAuthorizationStatus[] = ['awaiting_review', 'awaiting_outcome', 'awaiting_provider_response']
  const beside: Step[] = [0, 1].map((pa): Step => ({ do: 'message', pa }))
  return [
    created(0),
    created(1),
    settle,
    ...move('processing', 0, 1),
    settle,
    ...way.flatMap((to): Step[] => [
      ...move(to, 0, 1),
      settle,
      ...(to === 'awaiting_outcome' ? [] : [{ do: 'staff_complete', pa: 0 } as const, ...beside, settle]),
    ]),
    ...move('awaiting_outcome', 0, 1),
    end(0, denial),
    end(1, denial),
    settle,
    { do: 'staff_complete', pa: 0 },
    ...beside,
    settle,
  ]
}
