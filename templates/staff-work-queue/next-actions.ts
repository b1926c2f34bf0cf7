import { isApproved, type PriorAuthorization } from '#pawl'

/** One action that people can take on a PA. */
export interface NextAction {
  name: 'review' | 'answer' | 'resubmit' | 'appeal' | 'quantity_limit_exception' | 'cancel'
  /** Instructions, as one sentence. */
  how: string
  /** Reasons against it now; empty if it is possible. */
  whyNot: string[]
}

const terminalStatuses: readonly string[] = ['completed', 'failed', 'not_submitted', 'cancelled']
const notRequiredCodes: readonly string[] = ['prior_auth_not_required', 'benefit_verification_pa_not_required']

/** Every action with its preconditions checked against the PA, the possible ones first. An unknown status counts as not terminal. */
export function nextActions({ id, status, outcome }: PriorAuthorization): NextAction[] {
  const isTerminal = terminalStatuses.includes(status)
  // While a PA runs, and once it is cancelled, its outcome is a placeholder.
  const settled = isTerminal && status !== 'cancelled' ? outcome : undefined
  const isGranted = isApproved(settled) || notRequiredCodes.includes(settled?.detail_code ?? '')
  const runs = isTerminal ? [] : [`It is ${status}, and has to end first.`]
  const linked = `a new request with resubmission_info.previous_prior_auth_request_id ${id}`

  const actions: NextAction[] = [
    {
      name: 'review',
      how: "Review it on the service's platform and submit it there.",
      whyNot: unless(status === 'awaiting_review', `It is ${status}, so no review is waiting.`),
    },
    {
      name: 'answer',
      how: 'Supply the information requested from the prescriber in the messages.',
      whyNot: unless(
        status === 'awaiting_provider_response',
        `It is ${status}, so it does not wait for the prescriber.`,
      ),
    },
    {
      name: 'resubmit',
      how: `Send ${linked}, a note on the changes, and the missing evidence.`,
      whyNot: runs,
    },
    {
      name: 'appeal',
      how: `Send ${linked} and appeal_details with the appeal letter. A PA over the Medicare GLP-1 bridge takes no appeal: the service answers appeal_not_allowed.`,
      whyNot: [...runs, ...unless(settled?.result === 'Denied', 'It was not denied.')],
    },
    {
      name: 'quantity_limit_exception',
      how: `Send ${linked}, a note, and quantity_limit_exception_reason.`,
      whyNot: [...runs, ...unless(isGranted, 'It was neither approved nor found to need no authorization.')],
    },
    {
      name: 'cancel',
      how: 'Cancel it, with a reason; that cannot be undone.',
      whyNot: unless(!isTerminal, `It is ${status}, and an ended PA cannot be cancelled.`),
    },
  ]
  return actions.toSorted((a, b) => Number(!isPossible(a)) - Number(!isPossible(b)))
}

/** Whether the service would accept the action now, judged by the PA. */
export function isPossible({ whyNot }: NextAction): boolean {
  return whyNot.length === 0
}

function unless(isMet: boolean, why: string): string[] {
  return isMet ? [] : [why]
}
