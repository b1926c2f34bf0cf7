import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import { type Fault, type SystemName, systemNames } from '@pawl/testing/lines/line-faults'
import type { Step, Tour } from './steps.ts'

const settle: Step = { do: 'settle' }

/** Short lists that fail the writes of all handlers at once: during cancellations and withdrawals, during edits by others, for states that end meanwhile, until the next day, and for longer than one run may take. "own" names the handlers that are not shipped. */
export function strainedTours(handlers: readonly string[], own: readonly string[]): Tour[] {
  return [
    { name: 'needed-no-longer', steps: neededNoLonger(handlers) },
    { name: 'edited-while-waiting', steps: editedWhileWaiting(handlers) },
    { name: 'there-and-back', steps: thereAndBack(handlers) },
    { name: 'until-the-next-day', steps: untilTheNextDay(handlers) },
    { name: 'stopped-amid-faults', steps: stoppedAmidFaults(handlers) },
    { name: 'withdrawn-amid-faults', steps: withdrawnAmidFaults(own) },
  ]
}

/** Fails the next writes of each handler. */
export function failAll(
  handlers: readonly string[],
  fault: Fault,
  times = 1,
  { systems = systemNames, after }: { systems?: readonly SystemName[]; after?: number } = {},
): Step[] {
  return handlers.flatMap((handler) =>
    systems.map((system) => ({ do: 'fail', system, fault, times, handler, writes: true, ...(after && { after }) })),
  )
}

/** Approvals that are withdrawn and granted again: own systems refuse the writes about one, lose the answers about another, and those about the third kill pawl. */
function withdrawnAmidFaults(handlers: readonly string[]): Step[] {
  const faults: readonly (readonly [atDenial: Fault, atApproval: Fault])[] = [
    ['503', '429'],
    ['lost_answer', 'lost_answer'],
    // The killed-at-writes tour kills pawl at approvals.
    ['killed_after', 'half_answer'],
  ]
  const way: PriorAuthorizationStatus[] = ['processing', 'awaiting_outcome', 'completed']
  const failEach = (fault: Fault) => failAll(handlers, fault, 1, { systems: ['own'] })
  return [
    ...faults.map((_, patient): Step => ({ do: 'create_pa', result: 'Approved', transfer: false, patient })),
    settle,
    ...way.flatMap((to): Step[] => [...faults.map((_, pa): Step => ({ do: 'move_pa', pa, to })), settle]),
    ...faults.flatMap(([atDenial, atApproval], pa): Step[] => [
      ...failEach(atDenial),
      { do: 'correct_outcome', pa, result: 'Denied', code: 'plan_exclusion' },
      settle,
      { do: 'heal' },
      ...failEach(atApproval),
      // A new approval: a handler may tell each result once.
      { do: 'correct_outcome', pa, result: 'Approved', code: 'existing_approval', days: 500 },
      settle,
      { do: 'heal' },
    ]),
  ]
}

/** More than any handler may try within one run. */
const always = 100

/** PAs that a check finds needless, each with another fault. */
function neededNoLonger(handlers: readonly string[]): Step[] {
  const faults: readonly Fault[] = ['503', '429', 'lost_answer']
  return [
    // The service checks the benefits only of PAs that may be transferred.
    ...faults.map((_, at): Step => ({ do: 'create_pa', result: 'Approved', transfer: true, patient: at % 3 })),
    settle,
    ...faults.map((_, pa): Step => ({ do: 'move_pa', pa, to: 'processing' })),
    settle,
    ...faults.flatMap((fault, pa): Step[] => [
      ...failAll(handlers, fault, 1),
      { do: 'benefits_check', pa, needless: true },
      settle,
      { do: 'heal' },
    ]),
  ]
}

/** Staff edit before each write about PAs that wait for people, from the first write on, and about PAs that end. */
function editedWhileWaiting(handlers: readonly string[]): Step[] {
  const edits = failAll(handlers, 'edited', 1, { systems: ['chart'] })
  const way: PriorAuthorizationStatus[] = [
    'processing',
    'awaiting_provider_response',
    'processing',
    'awaiting_review',
    'awaiting_outcome',
  ]
  const ends: readonly Omit<Extract<Step, { do: 'move_pa' }>, 'do' | 'pa'>[] = [
    { to: 'completed' },
    { to: 'completed', result: 'Denied', code: 'medical_necessity_criteria_not_met' },
    { to: 'not_submitted' },
  ]
  return [
    ...edits,
    ...ends.map((_, at): Step => ({ do: 'create_pa', result: 'Approved', transfer: at === 0, patient: at })),
    settle,
    ...way.flatMap((to): Step[] => [
      { do: 'heal' },
      ...edits,
      { do: 'move_pa', pa: 0, to },
      ...(to === 'awaiting_outcome' ? [1, 2].map((pa): Step => ({ do: 'move_pa', pa, to: 'processing' })) : []),
      settle,
    ]),
    { do: 'move_pa', pa: 1, to: 'awaiting_outcome' },
    { do: 'heal' },
    ...edits,
    ...ends.map((end, pa): Step => ({ do: 'move_pa', pa, ...end })),
    settle,
  ]
}

/** A state that ends before a system accepts or confirms it, and a state during which other things happen. */
function thereAndBack(handlers: readonly string[]): Step[] {
  const from: PriorAuthorizationStatus = 'awaiting_outcome'
  const ways: readonly { fault: Fault; to: PriorAuthorizationStatus }[] = [
    { fault: 'lost_answer', to: 'validating_outcome' },
    { fault: '502', to: 'awaiting_provider_response' },
  ]
  return [
    { do: 'create_pa', result: 'Approved', transfer: true },
    settle,
    { do: 'move_pa', pa: 0, to: 'processing' },
    settle,
    { do: 'move_pa', pa: 0, to: from },
    settle,
    ...ways.flatMap(({ fault, to }): Step[] => [
      ...failAll(handlers, fault, always),
      { do: 'move_pa', pa: 0, to },
      { do: 'meet_faults' },
      { do: 'move_pa', pa: 0, to: from },
      { do: 'heal' },
      settle,
    ]),
    // Other news arrives before the answer.
    ...failAll(handlers, 'lost_answer', always),
    { do: 'move_pa', pa: 0, to: 'completed' },
    { do: 'meet_faults' },
    { do: 'message', pa: 0 },
    { do: 'activity', pa: 0, type: 'follow_up_call' },
    { do: 'heal' },
    settle,
    { do: 'move_transfer', pa: 0, to: 'attempted' },
    settle,
    ...failAll(handlers, 'lost_answer', always),
    { do: 'answer_unknown_values', pa: 0, where: 'transfer' },
    { do: 'meet_faults' },
    { do: 'answer_known_values', pa: 0 },
    { do: 'heal' },
    settle,
  ]
}

/** A move and a message whose answers stay lost until the next day. */
function untilTheNextDay(handlers: readonly string[]): Step[] {
  return [
    { do: 'create_pa', result: 'Approved', transfer: false },
    settle,
    { do: 'move_pa', pa: 0, to: 'processing' },
    settle,
    ...failAll(handlers, 'lost_answer', always),
    { do: 'move_pa', pa: 0, to: 'awaiting_outcome' },
    { do: 'message', pa: 0 },
    { do: 'meet_faults' },
    { do: 'set_clock', minutes: 1_500 },
    { do: 'heal' },
    settle,
  ]
}

/** Stops while writes are refused, or hang, for longer than one run may take. */
function stoppedAmidFaults(handlers: readonly string[]): Step[] {
  const rounds: readonly { fault: Fault; moves: readonly Step[] }[] = [
    {
      fault: '503',
      moves: [
        { do: 'move_pa', pa: 0, to: 'awaiting_outcome' },
        { do: 'message', pa: 0, attachments: 1 },
        { do: 'move_outreach', outreach: 0, to: 'sent' },
        { do: 'move_bv', bv: 0, to: 'completed' },
      ],
    },
    {
      fault: 'timeout',
      moves: [
        { do: 'move_pa', pa: 0, to: 'completed' },
        { do: 'activity', pa: 0, type: 'follow_up_call' },
        { do: 'move_pa', pa: 1, to: 'not_submitted' },
      ],
    },
  ]
  return [
    { do: 'create_pa', result: 'Approved', transfer: true },
    { do: 'create_bv', fails: false, patient: 1 },
    { do: 'create_pa', result: 'Approved', transfer: false, patient: 2, outreach: true },
    settle,
    { do: 'move_pa', pa: 0, to: 'processing' },
    { do: 'move_pa', pa: 1, to: 'processing' },
    settle,
    ...rounds.flatMap(({ fault, moves }): Step[] => [
      ...failAll(handlers, fault, always),
      ...moves,
      { do: 'meet_faults' },
      { do: 'restart' },
      { do: 'heal' },
      settle,
    ]),
  ]
}
