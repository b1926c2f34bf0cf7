import { transferErrorCodes } from 'pawl-client/schemas/outcome'
import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import { statusOf, type Verdict, verdicts } from '@pawl/sandbox/prior-authorization/pa-verdict'
import { patientCoverageStatuses } from 'pawl-client/schemas/benefit-verification'
import { benefitVerificationErrorCodes } from 'pawl-client/schemas/benefit-verification-errors'
import { companions, created, dayLater, histories, unclear, unheardOf } from './mixed-lists.ts'
import { type Step, type Tour, verifiedCases } from './steps.ts'

const settle: Step = { do: 'settle' }
const batch = 11

/** Lists that reach every status, outcome, code and transition, with several cases of three patients at once. */
export const coverageTours: readonly Tour[] = [
  ...Array.from({ length: Math.ceil(verdicts.length / batch) }, (_, at) => ({
    name: `endings-${at + 1}`,
    steps: endings(verdicts.slice(at * batch, (at + 1) * batch)),
  })),
  { name: 'detours', steps: detours() },
  { name: 'returns', steps: returns() },
  { name: 'transfers', steps: transfers() },
  { name: 'verifications', steps: verifications() },
  { name: 'histories', steps: histories() },
  { name: 'companions', steps: companions() },
  { name: 'outreaches', steps: outreaches() },
  { name: 'unheard-of', steps: unheardOf() },
  { name: 'unclear', steps: unclear() },
  { name: 'day-later', steps: dayLater() },
]

/** A PA for each outcome. */
function endings(outcomes: readonly Verdict[]): Step[] {
  const move = (to: PriorAuthorizationStatus) => outcomes.map((_, pa): Step => ({ do: 'move_pa', pa, to }))
  return [
    // The two words for an approval go to otherwise equal cases of different patients.
    ...outcomes.map((_, at) => created({ patient: Math.floor(at / 2) % 3, transfer: at % 3 === 1 })),
    settle,
    ...move('processing'),
    settle,
    ...move('awaiting_outcome'),
    settle,
    ...outcomes.map(({ result, detail_code: code }, pa): Step => {
      return { do: 'move_pa', pa, to: statusOf({ result, detail_code: code }), result, code }
    }),
    settle,
  ]
}

/** Every transition between statuses, and back where a way back exists. */
function detours(): Step[] {
  const ways: PriorAuthorizationStatus[][] = [
    ['processing', 'awaiting_provider_response', 'processing', 'awaiting_review', 'awaiting_outcome', 'completed'],
    ['processing', 'awaiting_outcome', 'awaiting_provider_response', 'awaiting_outcome', 'validating_outcome'],
    ['processing', 'awaiting_outcome', 'validating_outcome', 'awaiting_outcome', 'validating_outcome', 'completed'],
    ['processing', 'awaiting_review', 'not_submitted'],
    ['processing', 'awaiting_provider_response', 'not_submitted'],
    ['processing', 'awaiting_outcome', 'validating_outcome', 'not_submitted'],
    ['processing', 'awaiting_outcome', 'validating_outcome', 'failed'],
    ['processing', 'awaiting_provider_response', 'failed'],
    ['processing', 'awaiting_review', 'failed'],
    ['failed'],
    ['processing', 'not_submitted'],
    ['processing', 'failed'],
    ['cancelled'],
    ['processing', 'cancelled'],
    ['processing', 'awaiting_outcome', 'cancelled'],
    ['processing', 'awaiting_provider_response', 'cancelled'],
    ['processing', 'awaiting_review', 'cancelled'],
    ['processing', 'awaiting_outcome', 'validating_outcome', 'cancelled'],
  ]
  const longest = Math.max(...ways.map(({ length }) => length))
  const rounds = Array.from({ length: longest }, (_, at) => [
    ...ways.flatMap((way, pa): Step[] => {
      const to = way[at]
      return to === undefined ? [] : [{ do: 'move_pa', pa, to }]
    }),
    settle,
  ])
  // A check may come at any status, including final ones.
  const checks = ways.map((_, pa): Step => ({ do: 'benefits_check', pa, needless: true }))
  return [
    ...ways.map((_, at) => created({ patient: at % 3, transfer: at % 2 === 1 })),
    settle,
    ...rounds.flat(),
    ...checks,
    settle,
  ]
}

/** Each recurring status comes twice by the same path, with messages in between for one of the cases. */
function returns(): Step[] {
  const way: PriorAuthorizationStatus[] = [
    'processing',
    'awaiting_provider_response',
    'processing',
    'awaiting_provider_response',
    'processing',
    'awaiting_outcome',
    'validating_outcome',
    'awaiting_outcome',
    'validating_outcome',
    'awaiting_outcome',
    'awaiting_provider_response',
    'awaiting_outcome',
    'awaiting_provider_response',
    'awaiting_outcome',
    'completed',
  ]
  return [
    created({ patient: 0, transfer: false }),
    created({ patient: 1, transfer: false }),
    settle,
    ...way.flatMap((to, round): Step[] => [
      { do: 'move_pa', pa: 0, to },
      { do: 'move_pa', pa: 1, to },
      settle,
      ...(round % 2 === 1 ? [{ do: 'message', pa: 1 } as const] : []),
    ]),
  ]
}

/** Every transition of a transfer, and every error. */
function transfers(): Step[] {
  const ways = [
    ['attempted', 'awaiting_provider_response', 'reattempted', 'confirmed', 'completed'],
    ['attempted', 'unconfirmed', 'confirmed', 'completed'],
    ['attempted', 'awaiting_provider_response', 'reattempted', 'error'],
    ['attempted', 'unconfirmed', 'error'],
    ['attempted', 'awaiting_provider_response', 'cancelled'],
    ['cancelled'],
    ['attempted', 'cancelled'],
    ['attempted', 'reattempted', 'cancelled'],
    ['attempted', 'unconfirmed', 'cancelled'],
    ['attempted', 'confirmed', 'cancelled'],
    ['attempted', 'reattempted', 'error'],
    ...Array.from({ length: 5 }, () => ['attempted', 'error']),
  ]
  const lost = ways.findLastIndex((way) => way.includes('cancelled'))
  const move = (to: PriorAuthorizationStatus) => ways.map((_, pa): Step => ({ do: 'move_pa', pa, to }))
  const hasError = (way: readonly string[]) => way.includes('error')
  const rounds = Array.from({ length: 5 }, (_, at) => [
    ...ways.flatMap((way, pa): Step[] => {
      const to = way[at]
      const code = to === 'error' ? transferErrorCodes[ways.slice(0, pa).filter(hasError).length] : undefined
      if (to === undefined) return []
      // An undocumented error follows the documented ones.
      const unknown: Step[] =
        to === 'error' && code === undefined ? [{ do: 'answer_unknown_values', pa, where: 'error_code' }] : []
      // The webhook of one end is lost.
      const sent = pa === lost && to === 'cancelled' ? ({ sent: 'dropped' } as const) : {}
      return [...unknown, { do: 'move_transfer', pa, to, ...(code && { code }), ...sent }]
    }),
    settle,
  ])
  return [
    ...ways.map((_, at) => created({ patient: at % 3, transfer: true })),
    ...move('processing'),
    ...move('awaiting_outcome'),
    ...move('completed'),
    settle,
    ...rounds.flat(),
  ]
}

/** A BV for each finding, for each coverage with findings that differ from drug to drug, for each error, and with unknown values. */
function verifications(): Step[] {
  const ends: (Omit<Extract<Step, { do: 'move_bv' }>, 'do' | 'bv'> & { drugs: number; patient?: number })[] = [
    ...verifiedCases.map((found, at) => ({ to: 'completed', case: found, drugs: 1 + at }) as const),
    { to: 'failed', drugs: 3 },
    { to: 'cancelled', drugs: 2 },
    ...patientCoverageStatuses.map((coverage, at) => {
      return { to: 'completed', coverage, mixed: at % 4, drugs: 6 } as const
    }),
    // The same patient, with the findings of the first of these in another order.
    { to: 'completed', coverage: patientCoverageStatuses[0], mixed: 1, drugs: 6, patient: 0 },
    ...benefitVerificationErrorCodes.map((error) => ({ to: 'failed', error, drugs: 1 }) as const),
    { to: 'completed', mixed: 0, unknown: true, drugs: 3 },
    { to: 'failed', unknown: true, drugs: 1 },
  ]
  return [
    ...ends.map(({ to, drugs, patient }, at): Step => {
      return { do: 'create_bv', fails: to === 'failed', drugs, patient: patient ?? at % 3 }
    }),
    settle,
    ...ends.map(({ drugs: _drugs, patient: _patient, ...end }, bv): Step => ({ do: 'move_bv', bv, ...end })),
    settle,
    // The process's memory is gone.
    { do: 'restart' },
    settle,
  ]
}

/** Every state of an outreach attempt while its PA continues, two attempts that end in either order, and an undocumented state. */
function outreaches(): Step[] {
  const asked = [0, 1, 2, 0, 1, 2].map((patient): Step => ({
    do: 'create_pa',
    result: 'Approved',
    transfer: false,
    patient,
    outreach: true,
  }))
  type Sent = Extract<Step, { do: 'move_outreach' }>['sent']
  const move = (outreach: number, to: Extract<Step, { do: 'move_outreach' }>['to'], sent?: Sent): Step => {
    return { do: 'move_outreach', outreach, to, ...(sent && { sent }) }
  }
  return [
    ...asked,
    settle,
    ...Array.from({ length: 10 }, (_, each) => move(each, 'sent', each === 1 ? 'twice' : undefined)),
    settle,
    ...[0, 1].map((pa): Step => ({ do: 'move_pa', pa, to: 'processing' })),
    settle,
    ...[0, 2, 3, 5, 6, 7, 8, 9].map((each) => move(each, 'delivered', each === 2 ? 'late' : undefined)),
    move(1, 'failed'),
    move(6, 'expired'),
    settle,
    // The process's memory of the others is gone.
    { do: 'restart' },
    move(0, 'responded'),
    move(7, 'responded'),
    // One attempt's failure is told after the other's answer.
    move(8, 'expired', 'late'),
    move(9, 'responded'),
    move(2, 'expired'),
    move(4, 'cancelled'),
    settle,
    move(3, 'responded'),
    { do: 'move_pa', pa: 2, to: 'cancelled' },
    move(10, 'sent'),
    settle,
    // An undocumented state comes between two documented ones.
    move(10, 'delivered', 'with_unknown_status'),
    settle,
    move(10, 'responded'),
    settle,
  ]
}
