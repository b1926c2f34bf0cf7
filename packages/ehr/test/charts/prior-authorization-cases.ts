import type { ChartFile, ChartNote } from '../../src/ehr.ts'
import type { PriorAuthorization } from '../../../client/src/schemas/prior-authorization.ts'
import { sampleMessage, samplePriorAuthorization, sampleTransfer } from '../../../../test/support/samples.ts'
import type { StaffTaskEnd } from './expectations.ts'
import { people } from './people.ts'

/** One PA, snapshot after snapshot, as the service shows it. */
export interface PriorAuthorizationCase {
  kind: 'prior_authorization'
  /** Index of `people`. */
  person: number
  snapshots: readonly [PriorAuthorization, ...PriorAuthorization[]]
  files: readonly ChartFile[]
  notes: readonly ChartNote[]
  /** Status that staff give the open staff task. */
  staffDoes?: 'in-progress' | 'completed' | undefined
  staffTask?: StaffTaskEnd | undefined
}

/** Every documented way that a PA can end (supplement, PA outcome). */
const ends: readonly (readonly [result: string, codes: string])[] = [
  ['Approved', 'prior_auth_not_required approval existing_approval'],
  [
    'Denied',
    `formulary_alternative_preferred medical_necessity_criteria_not_met plan_exclusion step_therapy_criteria_not_met
     existing_denial coverage_limits_exceeded prior_weight_loss_program_required unknown`,
  ],
  [
    'Not Submitted',
    `eligibility_check_error eligibility_check_government_plan prescription_message_not_found
     more_information_required formulary_alternative_required benefit_verification_no_medication_coverage
     benefit_verification_only_alternative_medication_covered benefit_verification_pa_not_required pbm_excluded
     payer_not_supported`,
  ],
  [
    'Other',
    `coverage_inactive coverage_not_yet_started no_pharmacy_benefits payer_unable_to_locate_member
     npi_taxonomy_ineligible payer_reported_invalid_patient_info duplicate_request prior_auth_not_required
     patient_consent_required more_information_required other`,
  ],
]

const delegated = ['created', 'processing', 'awaiting_outcome', 'validating_outcome']
const reviewed = ['created', 'processing', 'awaiting_review', 'awaiting_outcome']
const asked = ['created', 'processing', 'awaiting_provider_response', 'awaiting_outcome']
const paths = [delegated, reviewed, asked] as const

interface Plot {
  path: readonly string[]
  status: string
  outcome?: Record<string, string>
  transfer?: string
}

const plots: readonly Plot[] = [
  ...ends.flatMap(([result, codes]) =>
    codes.split(/\s+/).map((detail_code, index): Plot => {
      const outcome = { result, detail_code }
      if (result !== 'Not Submitted') return { path: paths[index % 3] ?? delegated, status: 'completed', outcome }
      return { path: index % 2 === 0 ? ['created'] : ['created', 'processing'], status: 'not_submitted', outcome }
    }),
  ),
  { path: delegated, status: 'completed', outcome: { result: 'Approval', detail_code: 'approval' } },
  ...['more_information_required', 'patient_consent_required', 'other'].map((detail_code): Plot => ({
    path: reviewed,
    status: 'failed',
    outcome: { result: 'Other', detail_code },
  })),
  ...[1, 2, 3, 4].map((length): Plot => ({ path: reviewed.slice(0, length), status: 'cancelled' })),
  { path: [], status: 'created' },
  ...[delegated, reviewed, asked].flatMap((path) =>
    path.slice(1).map((status, index): Plot => ({ path: path.slice(0, index + 1), status })),
  ),
  { path: delegated.slice(0, 3), status: 'paused_by_payer' },
  ...['in_progress', 'awaiting_provider_response', 'completed', 'cancelled', 'error', 'handed_on'].map(
    (transfer): Plot => ({
      path: delegated,
      status: 'completed',
      outcome: { result: 'Approved', detail_code: 'approval' },
      transfer,
    }),
  ),
]

/** PAs through every documented status to every documented end, each with a drug of its own. */
export function priorAuthorizationCases(): PriorAuthorizationCase[] {
  return plots.map((plot, index) => caseOf(plot, index))
}

function caseOf(plot: Plot, index: number): PriorAuthorizationCase {
  const id = `pa_req_${index + 1}`
  const statuses = [...plot.path, plot.status]
  const [first, ...later] = statuses.map((status, at) => snapshot({ id, index, plot, status, at }))
  if (first === undefined) throw new Error('A case needs a status.')
  const staffDoes = ([undefined, 'in-progress', undefined, 'completed'] as const)[index % 4]
  const waited = statuses.some((status) => isWaiting(status))
  const opened = staffDoes ?? 'requested'
  const closed = plot.status === 'cancelled' && staffDoes !== 'completed' ? 'cancelled' : 'completed'
  const isDenied = plot.status === 'completed' && plot.outcome?.result === 'Denied'
  return {
    kind: 'prior_authorization',
    person: index % people.length,
    snapshots: transferred([first, ...later], plot.transfer),
    files: [
      ...(index % 3 === 0 ? [file(id, 'msg_1/att_1', 'attachment', 'application/pdf')] : []),
      ...(isDenied ? [file(id, 'letter', 'letter', 'application/pdf')] : []),
      ...(index % 6 === 1
        ? [file(id, 'fax_1', 'fax_sent', 'image/tiff'), file(id, 'fax_2', 'fax_received', 'application/pdf')]
        : []),
    ],
    notes:
      index % 5 === 3 ? [{ key: 'call_1', title: 'Follow-up call', text: `The payer was called about ${id}.` }] : [],
    staffDoes: waited ? staffDoes : undefined,
    staffTask: waited ? (isWaiting(plot.status) ? opened : closed) : undefined,
  }
}

/** Whether a PA waits for a person. */
export function isWaiting(status: string): boolean {
  return status === 'awaiting_review' || status === 'awaiting_provider_response'
}

function snapshot(input: { id: string; index: number; plot: Plot; status: string; at: number }): PriorAuthorization {
  const { id, index, plot, status, at } = input
  const { mrn, internalId, birthDate, name } = people[index % people.length] ?? people[0]
  const [first_name, last_name] = name.split(' ')
  const messages = [
    sampleMessage({ content: `Please add the last lab result to ${id}.` }),
    sampleMessage({ id: 'msg_2', direction: 'sent', content: `Here it is, for ${id}.`, attachments: [] }),
  ]
  return samplePriorAuthorization({
    id,
    status,
    outcome: outcomeOf(plot, status, id),
    patient: { mrn, internal_id: internalId, date_of_birth: birthDate, first_name, last_name },
    prescription: {
      drug_name: `Exampline-${String(index + 1).padStart(3, '0')}q`,
      strength: '10 mg',
      quantity: 56,
      days_supply: 28,
    },
    ...(index % 3 === 0 && at > 0 && { message_thread: { is_resolved: false, messages: messages.slice(0, at) } }),
    ...(plot.outcome?.result === 'Denied' &&
      status === 'completed' && {
        denial_reason_analysis: {
          categories: ['criteria'],
          explanation: `The criteria of ${id} were not met.`,
          next_steps: `Ask for a second look at ${id}.`,
          next_steps_explanation: `The plan of ${id} grants one by telephone.`,
        },
      }),
  })
}

function outcomeOf(plot: Plot, status: string, id: string): Record<string, unknown> {
  if (status === 'validating_outcome')
    return { result: 'Denied', detail_code: 'plan_exclusion', detail: `An answer to ${id} that nobody checked.` }
  if (status !== plot.status || plot.outcome === undefined)
    return { result: 'Pending', detail: null, detail_code: null }
  const dates = { authorization_start_date: '2026-03-01', authorization_expiration: '2027-02-28' }
  const isApproved = plot.outcome.detail_code !== 'prior_auth_not_required' && plot.outcome.result?.startsWith('Appro')
  return { ...plot.outcome, detail: `The payer's answer to ${id}.`, ...(isApproved && dates) }
}

/** After the PA ended: one attempt, and what came of it. */
function transferred(
  snapshots: [PriorAuthorization, ...PriorAuthorization[]],
  end: string | undefined,
): PriorAuthorizationCase['snapshots'] {
  const last = snapshots.at(-1)
  if (end === undefined || last === undefined) return snapshots
  const error = end === 'error' ? { error_code: 'transfer_timed_out' } : {}
  const states = [sampleTransfer(), sampleTransfer({ status: end, confirmed: end === 'completed', ...error })]
  return [
    ...snapshots,
    ...states.map((prescription_transfer) => samplePriorAuthorization({ ...last, prescription_transfer })),
  ]
}

function file(id: string, key: string, kind: ChartFile['kind'], contentType: string): ChartFile {
  return { key, kind, title: `${kind} of ${id}`, contentType, content: Buffer.from(`${contentType} ${id} ${key}`) }
}
