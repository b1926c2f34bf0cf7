import type { FarSideName } from './systems/far-sides.ts'

/** How a wrong handler violates what pawl promises. */
export type Violation =
  | 'state lost'
  | 'state wrong'
  | 'state falls back'
  | 'effect twice'
  | 'written without a change'
  | 'patient data shown'
  | 'patients mixed'
  | 'edit of staff lost'
  | 'work fails'
  | 'process at risk'
  | 'left behind'
  | 'too many at once'

/** A handler that the rules must find. `handler` is its name in the integration, `file` its path without the ending, for `integration.ts?case=`. */
export interface WrongCase {
  handler: string
  file: string
  wrong: string
  /** A list shows it that has this. */
  shownBy: string
  /** A correct report names the handler, its system and this violation; any of these, where several follow from the mistake. */
  violations: readonly Violation[]
  /** A correct report shows this difference. */
  difference: string
  /** Settings that name a recorded far side, which answers each request with 200 and honours `idempotency-key`. */
  settings?: readonly string[]
  /** The far side of its own system. */
  farSide?: FarSideName
}

/** A handler that no rule may report. */
export interface RightCase {
  handler: string
  file: string
  odd: string
  /** As in `WrongCase`. */
  settings?: readonly string[]
  farSide?: FarSideName
}

const paToEhr = 'prior-authorization-to-ehr'
const staffTask = 'staff-task-for-prior-authorization'
const bvToEhr = 'benefit-verification-to-ehr'
const toPharmacy = 'prescription-transfer-to-pharmacy'
const messages = 'messages-to-ehr'
const outreach = 'provider-outreach-to-ehr'

export const wrongCases: readonly WrongCase[] = [
  {
    handler: paToEhr,
    file: 'wrong/01-never-backwards',
    wrong: 'It leaves out a status that precedes the last one in its list.',
    shownBy:
      'a PA that returns from validating_outcome, or from a question to the prescriber, judged before it moves on',
    violations: ['state lost'],
    difference: 'chart: the Task of the PA keeps the later status while the service shows the earlier one',
  },
  {
    handler: paToEhr,
    file: 'wrong/02-day-in-clinic-zone',
    wrong: 'It shifts the period of approval to the day before.',
    shownBy: 'any approval with dates',
    violations: ['state wrong'],
    difference: 'chart: the authorized period begins and ends one day before that of the service',
  },
  {
    handler: paToEhr,
    file: 'wrong/03-echo-skipped',
    wrong: 'It skips the echo of its own cancellation before the chart has learned of it.',
    shownBy: 'a PA that enters awaiting_provider_response, where the handler cancels it',
    violations: ['state lost'],
    difference: 'chart: the Task stays on hold while the service shows cancelled',
  },
  {
    handler: paToEhr,
    file: 'wrong/04-timeout-is-success',
    wrong: 'It takes a slow chart for one that has written.',
    shownBy: 'a write to the chart that takes longer than 0.8 s and is then cut off',
    violations: ['state lost'],
    difference: 'chart: it lacks a state whose run ended as a success, and no work is due',
  },
  {
    handler: paToEhr,
    file: 'wrong/05-patient-in-error',
    wrong: 'It names the patient in an error.',
    shownBy: 'a refused or failed write to the chart',
    violations: ['patient data shown'],
    difference: 'log and error of the work: name and birth date, with the error chart_refused',
  },
  {
    handler: paToEhr,
    file: 'wrong/06-appeal-over-original',
    wrong: 'It writes an appeal under the id of the PA that it appeals.',
    shownBy: 'a denied PA and its appeal',
    violations: ['state wrong', 'state lost'],
    difference: "chart: the original's Task shows the appeal's state, and the appeal has no Task",
  },
  {
    handler: staffTask,
    file: 'wrong/07-unknown-is-terminal',
    wrong: 'It takes each status outside its list for an end.',
    shownBy: 'validating_outcome with an expected denial or a missing document, judged before it moves on',
    violations: ['state wrong'],
    difference: 'chart: a staff task is open for a PA that still runs',
  },
  {
    handler: staffTask,
    file: 'wrong/08-once-per-status',
    wrong: 'It opens the task of a reason once in the life of a PA.',
    shownBy: 'awaiting_provider_response or awaiting_review, another status, and the same again',
    violations: ['state lost'],
    difference: 'chart: the staff task stays closed while the PA waits for people again',
  },
  {
    handler: bvToEhr,
    file: 'wrong/09-errors-swallowed',
    wrong: 'It logs each error of the chart and ends as a success.',
    shownBy: 'a failed write to the chart while a BV ends',
    violations: ['state lost'],
    difference: 'chart: the response of the BV is missing, and no work is due',
  },
  {
    handler: bvToEhr,
    file: 'wrong/10-cents-as-dollars',
    wrong: 'It hands dollars to a port that takes cents.',
    shownBy: 'a BV that completes with a copay',
    violations: ['state wrong'],
    difference: 'chart: the copay is a hundredth of that of the service',
  },
  {
    handler: 'benefit-verification-to-prior-authorization',
    file: 'wrong/11-request-without-once',
    wrong: 'It creates PAs without once.',
    shownBy: 'a completed BV whose drug requires a PA, with a redelivery, a retry or a lost answer',
    violations: ['effect twice'],
    difference: 'service: two PAs for one drug of one BV',
  },
  {
    handler: bvToEhr,
    file: 'wrong/12-retries-forever',
    wrong: 'It repeats a failed write inside the run without end.',
    shownBy: 'a chart that is away longer than the lease, or a stop meanwhile',
    violations: ['left behind', 'process at risk'],
    difference: 'process: the handler goes on after its run was given up, and timers are left after a stop',
  },
  {
    handler: toPharmacy,
    file: 'wrong/13-only-approved',
    wrong: 'It knows no grant but Approved.',
    shownBy: 'a transfer after Approval, or after prior_auth_not_required with the result Other',
    violations: ['state lost'],
    difference: 'pharmacy: it was not told of the transfer',
  },
  {
    handler: toPharmacy,
    file: 'wrong/14-first-event-decides',
    wrong: 'It lets the first event decide for all.',
    shownBy: 'a transfer whose event was dropped, or comes together with a status change',
    violations: ['state lost'],
    difference: 'pharmacy: its last notice is older than the transfer of the service',
  },
  {
    handler: toPharmacy,
    file: 'wrong/15-compares-status-only',
    wrong: 'It compares only the status of the transfer.',
    shownBy: 'a transfer that is attempted or confirmed while its status stays in_progress',
    violations: ['state lost'],
    difference: 'pharmacy: it lacks attempts or confirmations that the service shows',
  },
  {
    handler: toPharmacy,
    file: 'wrong/16-stopped-for-good',
    wrong: 'It takes a transfer that stopped for ended.',
    shownBy: 'a transfer that returns from awaiting_provider_response or from an error, judged before it moves on',
    violations: ['state lost'],
    difference: 'pharmacy: its last notice says that the transfer stopped while the service shows in_progress',
  },
  {
    handler: 'transfer-reminder',
    file: 'wrong/17-look-again-later',
    wrong: 'It leaves a timer behind, which outlives the run.',
    shownBy: 'a transfer in progress, and a stop or five seconds',
    violations: ['left behind', 'state lost'],
    difference: 'process: a timer is left after the run; its write is refused, since the run is over',
  },
  {
    handler: messages,
    file: 'wrong/18-newest-message-only',
    wrong: 'It files the newest message of the thread.',
    shownBy: 'two messages before one run',
    violations: ['state lost'],
    difference: 'chart: the Communication of the first message is missing',
  },
  {
    handler: 'letters-and-faxes-to-ehr',
    file: 'wrong/19-previous-assumed',
    wrong: 'It assumes a snapshot before each activity.',
    shownBy: 'a PA whose first run already finds an activity, such as after late or lost deliveries',
    violations: ['work fails'],
    difference: 'handler: TypeError at 19-previous-assumed.ts, its work parks, and the chart lacks the fax',
  },
  {
    handler: messages,
    file: 'wrong/20-not-awaited',
    wrong: 'It does not await its writes.',
    shownBy: 'any message',
    violations: ['process at risk', 'state lost'],
    difference: 'process: unhandled rejection after the run; chart: the Communication is missing',
  },
  {
    handler: messages,
    file: 'wrong/21-gone-file-skipped',
    wrong: 'It takes a file that cannot be downloaded now for gone.',
    shownBy: 'a message with an attachment whose download fails once',
    violations: ['state lost'],
    difference: 'chart: the attachment is missing, and no work is due',
  },
  {
    handler: 'thread-for-nurses',
    file: 'wrong/22-threads-mixed',
    wrong: 'It collects the lines of a note in the module.',
    shownBy: 'messages of two PAs at once, best of two patients',
    violations: ['patients mixed', 'state wrong'],
    difference: "chart: the note of one PA holds another's messages",
  },
  {
    handler: 'status-for-front-desk',
    file: 'wrong/23-checked-at',
    wrong: 'It puts the time of the run into its note.',
    shownBy: 'a duplicate, a redelivery or a reconciliation of an unchanged PA',
    violations: ['written without a change'],
    difference: 'chart: the same note is written again with another time in it',
  },
  {
    handler: 'call-by-least-busy-team',
    file: 'wrong/24-all-at-once',
    wrong: 'It reads all pages of the work list at once.',
    shownBy: 'a PA that enters awaiting_provider_response',
    violations: ['too many at once'],
    difference: 'chart: 24 requests of one run at the same time',
  },
  {
    handler: 'urgent-call',
    file: 'wrong/25-put-without-version',
    wrong: 'It puts its task back without If-Match.',
    shownBy: "a PA that enters awaiting_provider_response, and an edit of staff right before the handler's PUT",
    violations: ['edit of staff lost'],
    difference: 'chart: a PUT of the task without If-Match, after which the note of staff is gone',
  },
  {
    handler: outreach,
    file: 'wrong/26-attempt-ends-pa',
    wrong: 'It shows a PA as failed once one attempt to reach its prescriber fails.',
    shownBy: 'an outreach attempt that fails or expires while the PA runs',
    violations: ['state wrong'],
    difference: 'chart: the Task of the PA is failed while the service shows a running status',
  },
  {
    handler: outreach,
    file: 'wrong/27-cached-request',
    wrong: 'It writes the PA from a cache that no change refreshes.',
    shownBy: 'an outreach attempt, a status change of its PA, and another state of the attempt',
    violations: ['state falls back', 'state wrong'],
    difference: 'chart: the Task of the PA returns to an earlier status',
  },
  {
    handler: 'case-to-desk',
    file: 'wrong/28-remembered-before-sent',
    wrong: 'Its connector remembers a case before the desk has it.',
    shownBy: 'a request to the desk that fails',
    violations: ['state lost'],
    difference: 'desk: it holds an older case than the one remembered, and no request follows the failed one',
    settings: ['DESK_URL'],
  },
  {
    handler: 'invoice-approvals',
    file: 'wrong/29-key-per-process',
    wrong: 'Its idempotency key begins with an id of the process.',
    shownBy: 'a lost answer of the billing system, then a kill',
    violations: ['effect twice'],
    difference: 'billing: two invoices for one PA under different keys',
    settings: ['BILLING_URL'],
  },
  {
    handler: 'notice-and-note',
    file: 'wrong/30-notice-before-note',
    wrong: 'It posts a notice without once and then writes to the chart.',
    shownBy: 'a failed write to the chart in a run that posted',
    violations: ['effect twice'],
    difference: 'chat: the same notice twice for one state of one PA',
    settings: ['NOTICE_URL'],
  },
]

export const rightCases: readonly RightCase[] = [
  { handler: 'coverage-summary', file: 'right/01-slow-summary', odd: 'It waits 1.5 s, and heeds the signal.' },
  {
    handler: 'own-notice',
    file: 'right/02-own-notice',
    odd: 'It posts by HTTP of its own, with once and an idempotency key.',
    settings: ['NOTICE_URL'],
  },
  { handler: 'clinic-work-list', file: 'right/03-own-reasons', odd: 'It has reasons and endings of its own.' },
  { handler: toPharmacy, file: 'right/04-each-transfer-event', odd: 'It runs in mode each.' },
  {
    handler: 'feedback-on-denials',
    file: 'right/05-feedback-once',
    odd: 'It has once keys of its own, and gives up an effect whose end is unknown.',
  },
  {
    handler: 'case-to-desk',
    file: 'right/06-own-desk',
    odd: 'It follows two kinds, and writes to a desk of its own.',
    settings: ['DESK_URL'],
  },
  { handler: 'priority-of-calls', file: 'right/07-versioned-put', odd: 'It writes to the chart by HTTP of its own.' },
  { handler: 'thread-as-notes', file: 'right/08-two-at-a-time', odd: 'It writes side by side, two at most.' },
  {
    handler: 'withdraw-unanswered',
    file: 'right/09-withdraws-and-knows-it',
    odd: 'It cancels at the service, and skips its own echo.',
  },
  {
    handler: 'outreach-sequence',
    file: 'right/10-outreach-sequence',
    odd: 'It writes about an outreach attempt to the chart of its PA.',
  },
]
