import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import type { LoadedHandler } from './orders.ts'
import { failAll, strainedTours } from './strained-tours.ts'
import type { Fault } from '@pawl/testing/lines/line-faults'
import type { Step, Tour } from './steps.ts'

const settle: Step = { do: 'settle' }

interface Life {
  /** Few handlers follow outreach. */
  withOutreach: boolean
  /** Index of another PA with the same course, which faults may spare. */
  twin: number | undefined
  /** How the remaining PAs of the same course end, one per round after the approval. */
  ends: readonly End[]
  /** The first case runs alone in its own process. */
  isStartedAnew: boolean
}

type End = Pick<Extract<Step, { do: 'move_pa' }>, 'to' | 'result' | 'code'>

/** One life of a case, in rounds. Each round changes everything that handlers follow. */
function livesOf(beforeEach: (round: number) => Step[], { withOutreach, twin, ends, isStartedAnew }: Life): Step[] {
  const others = ends.map((_, at) => 1 + (withOutreach ? asked.length : 0) + (twin === undefined ? 0 : 1) + at)
  const together = (to: PriorAuthorizationStatus) => others.map((pa): Step => ({ do: 'move_pa', pa, to }))
  const statuses: PriorAuthorizationStatus[] = [
    'processing',
    'awaiting_review',
    'awaiting_outcome',
    'validating_outcome',
    'awaiting_outcome',
    'completed',
  ]
  const transfers = ['attempted', 'awaiting_provider_response', 'reattempted', 'confirmed', 'completed']
  const moves = [
    ...statuses.map((to) => (pa: number): Step => ({ do: 'move_pa', pa, to })),
    ...transfers.map((to) => (pa: number): Step => ({ do: 'move_transfer', pa, to })),
    // A record that was posted at the approval changes now.
    (pa: number): Step => ({ do: 'correct_outcome', pa, result: 'Approved', code: 'approval', days: 500 }),
  ]
  return [
    ...(isStartedAnew ? [{ do: 'restart' } as const] : []),
    // Faults also hit the first run of a case and, in a new process, the first run of each handler.
    ...beforeEach(-1),
    { do: 'create_pa', result: 'Approved', transfer: true },
    ...(isStartedAnew ? [settle, { do: 'heal' } as const] : []),
    ...verifiedIn.map((_, at): Step => ({ do: 'create_bv', fails: false, drugs: 1, patient: 1 + (at % 2) })),
    ...(withOutreach ? asked : []),
    ...(twin === undefined ? [] : [{ do: 'create_pa', result: 'Approved', transfer: true, patient: 1 } as const]),
    ...others.map((_, at): Step => ({ do: 'create_pa', result: 'Approved', transfer: false, patient: at % 3 })),
    settle,
    ...moves.flatMap((move, round): Step[] => [
      ...beforeEach(round),
      ...[0, ...(twin === undefined ? [] : [twin])].flatMap((pa) => [
        move(pa),
        ...beside(round, { pa, hasTwin: twin !== undefined }),
      ]),
      ...verifiedIn.flatMap((end, bv): Step[] => (round === 4 * bv ? [{ do: 'move_bv', bv, ...end }] : [])),
      ...(withOutreach ? (outreachIn[round] ?? []) : []),
      ...(round === 3 ? together('processing') : []),
      ...(round === 4 ? together('awaiting_outcome') : []),
      ...(ends.length > 0 ? brief(round, others.length + (others[0] ?? 0)) : []),
      ...ends.flatMap((end, at): Step[] => (round === 6 + at ? [{ do: 'move_pa', pa: others[at] ?? 0, ...end }] : [])),
      // The status webhook comes first, so each handler sees the whole round.
      settle,
    ]),
  ]
}

/** A PA that ends before a faulted handler retries, and PAs whose transfers fail in successive rounds. */
function brief(round: number, pa: number): Step[] {
  const failing = [1, 2, 3].map((at) => ({ pa: pa + at, from: 5 + at }))
  const create = { do: 'create_pa', result: 'Approved', transfer: true } as const
  if (round === 5)
    return [
      { ...create, patient: 2 },
      { do: 'move_pa', pa, to: 'failed' },
      ...failing.map((_, at): Step => ({ ...create, patient: at })),
      ...(['processing', 'awaiting_outcome', 'completed'] as const).flatMap((to) =>
        failing.map((each): Step => ({ do: 'move_pa', pa: each.pa, to })),
      ),
    ]
  return failing.flatMap((each): Step[] => {
    if (round === each.from) return [{ do: 'move_transfer', pa: each.pa, to: 'attempted' }]
    return round === each.from + 1
      ? [{ do: 'move_transfer', pa: each.pa, to: 'error', code: 'transfer_timed_out' }]
      : []
  })
}

/** BV endings, one in every fourth round so that each fault meets one. Two BVs of one patient have the same findings and require a PA. */
const verifiedIn: readonly Omit<Extract<Step, { do: 'move_bv' }>, 'do' | 'bv'>[] = [
  { to: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
  { to: 'completed', case: 'reverification__existing_pa' },
  { to: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
]

/** The attempt on one BV is faulted; the attempt on its twin is spared. */
const asked = [2, 0].map((patient): Step => {
  return { do: 'create_pa', result: 'Approved', transfer: false, patient, outreach: true }
})

function attempt(of: 0 | 1, to: Extract<Step, { do: 'move_outreach' }>['to']): Step[] {
  return asked.map((_, at): Step => ({ do: 'move_outreach', outreach: 2 * at + of, to }))
}

const outreachIn: Partial<Record<number, Step[]>> = {
  0: attempt(0, 'sent'),
  2: attempt(1, 'sent'),
  4: attempt(0, 'delivered'),
  6: attempt(1, 'failed'),
  8: attempt(0, 'responded'),
}

const denied: End = { to: 'completed', result: 'Denied', code: 'medical_necessity_criteria_not_met' }
const otherEnds: readonly End[] = [{ to: 'not_submitted' }, { to: 'failed' }, { to: 'cancelled' }]

/** Random checks would give the two cases different findings. */
function beside(round: number, { pa, hasTwin }: { pa: number; hasTwin: boolean }): Step[] {
  if (round === 4) return []
  if (round % 3 === 0) return [{ do: 'message', pa, count: 2, attachments: 1 }]
  return round % 3 === 1
    ? [
        { do: 'activity', pa, type: 'sent_fax' },
        { do: 'benefits_check', pa, ...(hasTwin && { cost: '35.00' }) },
      ]
    : [{ do: 'activity', pa, type: 'follow_up_call' }]
}

/** Lists that aim a fault at each handler's requests in turn: before or after they take effect, with a lost or half answer, twice in a row, longer than the lease, after an edit by staff, with a kill, and at reads. Some add a spared case with the same course, or cases that end differently. */
export function aimedTours(handlers: readonly Pick<LoadedHandler, 'name' | 'on' | 'isShipped'>[]): Tour[] {
  const names = handlers.map(({ name }) => name)
  const own = handlers.filter(({ isShipped }) => !isShipped).map(({ name }) => name)
  const withOutreach = handlers.some(({ on }) => on.some((type) => type.includes('outreach')))
  const spares = withOutreach ? 1 + asked.length : 1
  const lifeOf = (beforeEach: (round: number) => Step[], hasTwin = false, ends: readonly End[] = []) =>
    livesOf(beforeEach, { withOutreach, twin: hasTwin ? spares : undefined, ends, isStartedAnew: hasTwin })
  const once: readonly Fault[] = ['lost_answer', '503', 'half_answer', 'timeout', '429']
  const later: readonly Fault[] = ['half_answer', 'timeout', '502', 'lost_answer', '500']
  const turn = (
    faults: readonly Fault[],
    { aim, ends }: { aim?: (round: number) => { times?: number; after?: number }; ends?: readonly End[] } = {},
  ) =>
    lifeOf(
      (round) => [
        { do: 'heal' },
        ...names.flatMap((name, at) => failAll([name], inTurn(faults, round + at), aim?.(round).times, aim?.(round))),
      ],
      false,
      ends,
    )
  return [
    { name: 'faults', steps: turn(once, { ends: once.map(() => denied) }) },
    {
      name: 'faults-of-either-write',
      steps: turn(later, { aim: (round) => ({ after: (round + 1) % 2 }), ends: otherEnds }),
    },
    // Longer than the delays of a handler that counts its attempts.
    {
      name: 'faults-in-a-row',
      steps: turn(['504', 'lost_answer'], { aim: (round) => ({ times: round % 3 === 2 ? 5 : 2 }) }),
    },
    // All handlers at once: that takes no longer than one.
    {
      name: 'slow-writes',
      steps: lifeOf((round) => [{ do: 'heal' }, ...(round % 2 === 0 ? failAll(names, 'slow') : [])]),
    },
    // No turns: staff edit before every handler writes.
    {
      name: 'edited-before-writes',
      steps: lifeOf(() => [{ do: 'heal' }, ...failAll(names, 'edited', 1, { systems: ['chart'] })]),
    },
    // A kill fires once its handler sends a change. The integration's own handlers come first.
    { name: 'killed-at-writes', steps: lifeOf((round) => killed(round)) },
    {
      name: 'failed-reads',
      steps: lifeOf(
        (round) => [
          { do: 'heal' },
          ...names.flatMap((handler): Step[] =>
            (['service', 'chart', 'own'] as const).map((system) => ({
              do: 'fail',
              system,
              fault: inTurn(unread, round),
              // The client retries a read three times, and two outreach attempts may be read at the same time.
              times: system === 'service' ? 5 : 1,
              handler,
              spares,
            })),
          ),
        ],
        true,
      ),
    },
    ...strainedTours(names, own),
  ]

  function killed(round: number): Step[] {
    // Each costs a process start.
    if (round % 2 !== 0) return []
    const all = own.length > 0 ? own : names
    const each = Math.ceil(all.length / roundsOfKills)
    return Array.from({ length: each }, (_, at) => inTurn(all, (round / 2) * each + at)).flatMap((name) =>
      failAll([name], round % 4 === 0 ? 'killed_after' : 'killed_before'),
    )
  }
}

/** Rounds in which each handler is killed once. */
const roundsOfKills = 6

/** Faults of reads. */
const unread: readonly Fault[] = ['500', '503', 'half_answer', 'timeout']

/** Steps from round -1 on. */
function inTurn<T>(all: readonly T[], at: number): T {
  // The index comes from the list itself.
  return all[(at + all.length) % all.length] as T
}
