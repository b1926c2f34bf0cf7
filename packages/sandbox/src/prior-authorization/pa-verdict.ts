import { detailCodes, isApproved, isUnneeded, type ShownOutcome } from 'pawl-client/schemas/outcome'
import type { PriorAuthorizationStatus } from 'pawl-client/schemas/prior-authorization'
import type { Random } from '../platform/random.ts'

/** How a PA ends: the fields of `mock_result`, with a detail code. */
export interface Verdict {
  result: Exclude<ShownOutcome['result'], 'Pending'>
  detail_code: DetailCode
  client_code?: string
  authorization_expiration?: string
}

type DetailCode = NonNullable<ShownOutcome['detail_code']>

/** A control's outcome of a PA, which overrides the scripted one. */
export interface PushedOutcome {
  result: Verdict['result']
  detail_code?: string | undefined
  /** Goes with a denial. */
  client_code?: string | undefined
  /** The last day; goes with an approval that has one. */
  authorization_expiration?: string | undefined
}

/** Placeholder of a running or cancelled PA (supplement, Statuses). */
export const pendingOutcome: ShownOutcome = { result: 'Pending', detail: null, detail_code: null }

type Terminal = Exclude<
  PriorAuthorizationStatus,
  'created' | 'processing' | `awaiting_${string}` | 'validating_outcome'
>

/** Detail codes of `Other` that end a PA as `completed` (supplement, Statuses). The others end it as `failed`, which is a choice. */
const completedOthers: readonly string[] = ['duplicate_request', 'prior_auth_not_required']

const statusByResult = {
  Approved: 'completed',
  Approval: 'completed',
  Denied: 'completed',
  'Not Submitted': 'not_submitted',
  Other: 'failed',
} as const

/** Two words for one result: the specification's and the supplement's. `mock_result` gives the second; chance gives either. */
const approvals = ['Approval', 'Approved'] as const

/** The terminal status of a verdict. */
export function statusOf({ result, detail_code }: Verdict): Terminal {
  return result === 'Other' && completedOthers.includes(detail_code) ? 'completed' : statusByResult[result]
}

/** Default verdicts of a push, by terminal status. */
export const usualVerdict: Record<string, Verdict> = {
  completed: { result: 'Approved', detail_code: 'approval' },
  not_submitted: { result: 'Not Submitted', detail_code: 'more_information_required' },
  failed: { result: 'Other', detail_code: 'other' },
}

/** Whether the detail code is documented for the result (supplement, PA outcome). */
export function isVerdict(verdict: { result: Verdict['result']; detail_code: string }): verdict is Verdict {
  const known: readonly string[] = detailCodes[verdict.result === 'Approval' ? 'Approved' : verdict.result]
  return known.includes(verdict.detail_code)
}

/** All documented verdicts (supplement, PA outcome). */
export const verdicts: readonly Verdict[] = (
  ['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other'] as const
).flatMap((result) =>
  detailCodes[result === 'Approval' ? 'Approved' : result].map((detail_code) => ({ result, detail_code })),
)

/** Default detail codes, by result. */
export const usualDetailCode: Record<Verdict['result'], DetailCode> = {
  Approved: 'approval',
  Approval: 'approval',
  Denied: 'medical_necessity_criteria_not_met',
  'Not Submitted': 'more_information_required',
  Other: 'other',
}

/** Codes for chance; all others belong to checks that stop a PA. */
const drawnStops = ['more_information_required', 'pbm_excluded', 'payer_not_supported'] as const

/** Draws a verdict for a PA without `mock_result`, by weights. */
export function drawVerdict(random: Random): Verdict {
  const draw = random.next()
  const approval = random.pick(approvals)
  if (draw < 0.6) return { result: approval, detail_code: 'approval' }
  if (draw < 0.68)
    return { result: approval, detail_code: random.pick(['prior_auth_not_required', 'existing_approval']) }
  if (draw < 0.85) return { result: 'Denied', detail_code: random.pick(detailCodes.Denied) }
  if (draw < 0.93) return { result: 'Not Submitted', detail_code: random.pick(drawnStops) }
  return { result: 'Other', detail_code: random.pick(detailCodes.Other) }
}

const sentence: Record<Verdict['result'], string> = {
  Approved: 'The payer approved the request',
  Approval: 'The payer approved the request',
  Denied: 'The payer denied the request',
  'Not Submitted': 'The request was not submitted',
  Other: 'The request ended without a determination',
}

/** Whether the outcome has a first and a last day. */
const hasDays = (outcome: Pick<Verdict, 'result' | 'detail_code'>) => isApproved(outcome) && !isUnneeded(outcome)

/** Whether it has only fields that go with its result. */
export function hasFittingFields({ client_code, authorization_expiration, ...outcome }: Verdict): boolean {
  const isMisplaced =
    (client_code !== undefined && outcome.result !== 'Denied') ||
    (authorization_expiration !== undefined && !hasDays(outcome))
  return !isMisplaced
}

/** The outcome to show for a verdict. Only an approval carries dates: it holds for a year from `now` (ms since 1970), unless the verdict names the last day. */
export function outcomeOf(verdict: Verdict, now: number): ShownOutcome {
  const { result, detail_code, client_code, authorization_expiration } = verdict
  const outcome = { result, detail: `${sentence[result]}: ${detail_code.replaceAll('_', ' ')}.`, detail_code }
  if (result === 'Denied') return { ...outcome, client_code: client_code ?? null }
  if (!hasDays(outcome)) return outcome
  return {
    ...outcome,
    authorization_start_date: isoDate(now),
    authorization_expiration: authorization_expiration ?? isoDate(now + 365 * 24 * 3_600_000),
  }
}

function isoDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
