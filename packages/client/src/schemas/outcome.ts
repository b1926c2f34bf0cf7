import { z } from 'zod'
import type { ReadOf } from './lenient.ts'
import { saidIn } from './said.ts'
import { date } from './text.ts'

/** Every documented detail code, by result (supplement, PA outcome). */
export const detailCodes = {
  Approved: ['prior_auth_not_required', 'approval', 'existing_approval'],
  Denied: [
    'formulary_alternative_preferred',
    'medical_necessity_criteria_not_met',
    'plan_exclusion',
    'step_therapy_criteria_not_met',
    'existing_denial',
    'coverage_limits_exceeded',
    'prior_weight_loss_program_required',
    'unknown',
  ],
  'Not Submitted': [
    'eligibility_check_error',
    'eligibility_check_government_plan',
    'prescription_message_not_found',
    'more_information_required',
    'formulary_alternative_required',
    'benefit_verification_no_medication_coverage',
    'benefit_verification_only_alternative_medication_covered',
    'benefit_verification_pa_not_required',
    'pbm_excluded',
    'payer_not_supported',
  ],
  Other: [
    'coverage_inactive',
    'coverage_not_yet_started',
    'no_pharmacy_benefits',
    'payer_unable_to_locate_member',
    'npi_taxonomy_ineligible',
    'payer_reported_invalid_patient_info',
    'duplicate_request',
    'prior_auth_not_required',
    'patient_consent_required',
    'more_information_required',
    'other',
  ],
} as const

/** Every documented detail code, of any result. */
export const allDetailCodes = [
  ...detailCodes.Approved,
  ...detailCodes.Denied,
  ...detailCodes['Not Submitted'],
  ...detailCodes.Other,
] as const

/** Why a prescription transfer fails (supplement, prescription_transfer). */
export const transferErrorCodes = [
  'pharmacy_does_not_exist',
  'pharmacy_permanently_closed',
  'pharmacy_unable_to_accept_transfer',
  'pharmacy_unable_to_fill_prescription',
  'prescription_transfer_not_received',
  'transfer_timed_out',
  'other',
] as const
export type TransferErrorCode = (typeof transferErrorCodes)[number]

const asked = saidIn('supplement, PA create')
const saidOfResult = asked('Outcome of the PA.')
const saidOfCode = asked('Reason of the outcome; one of the reasons of its result.')

/** The outcome of a sandbox PA (supplement, PA create). `detail_code` is not documented as required, so it is optional. */
export const MockResultRequest = z.discriminatedUnion('result', [
  z.strictObject({
    result: z.literal('Approved').meta(saidOfResult),
    detail_code: z.enum(detailCodes.Approved).optional().meta(saidOfCode),
    prescription_transfer_error_code: z
      .enum(transferErrorCodes)
      .optional()
      .meta(asked('Makes the prescription transfer fail for this reason.')),
  }),
  z.strictObject({
    result: z.literal('Denied').meta(saidOfResult),
    detail_code: z.enum(detailCodes.Denied).optional().meta(saidOfCode),
    client_code: z
      .string()
      .optional()
      .meta(asked('Client code of the denial.', { examples: ['D-17'] })),
  }),
  z.strictObject({
    result: z.literal('Not Submitted').meta(saidOfResult),
    detail_code: z.enum(detailCodes['Not Submitted']).optional().meta(saidOfCode),
  }),
  z.strictObject({
    result: z.literal('Other').meta(saidOfResult),
    detail_code: z.enum(detailCodes.Other).optional().meta(saidOfCode),
    trigger_message: z
      .boolean()
      .optional()
      .meta(asked('Whether a message is added to the thread at the end.', { default: false })),
  }),
])
export type MockResultRequest = z.infer<typeof MockResultRequest>

const shown = saidIn('supplement, PA outcome')

/** The result of a PA; `result` of `Pending` is a placeholder (supplement, PA outcome). `Approval` is the specification's word for `Approved` (specification, PA resource). */
export const ShownOutcome = z.strictObject({
  result: z
    .enum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other', 'Pending'])
    .meta(
      shown(
        'Result of the PA. `Approval` means the same as `Approved`. `Pending` is a placeholder while the PA runs: read `status` first.',
        { isLoggable: true },
      ),
    ),
  detail: z
    .string()
    .nullable()
    .meta(shown('The outcome in a sentence for people, up to 2,048 characters; null while the PA runs.')),
  detail_code: z
    .enum(allDetailCodes)
    .nullable()
    .meta(
      shown('Reason code; the possible codes depend on the result. Null while the PA runs.', {
        isLoggable: true,
      }),
    ),
  client_code: z
    .string()
    .nullish()
    .meta(shown('A further code of a denial, for the client; may be null.', { examples: ['D-17'] })),
  authorization_start_date: date.optional().meta(shown('First day of an approval; may be absent.')),
  authorization_expiration: date
    .optional()
    .meta(shown('Last day of an approval; only with an approval, and may be absent.')),
})
export type ShownOutcome = z.infer<typeof ShownOutcome>

/** The outcome, read leniently; read `status` of the PA first. */
export interface Outcome extends ReadOf<typeof ShownOutcome> {}

/** The codes of an outcome, as sent or as read. */
interface OutcomeCodes {
  readonly result?: string | undefined
  readonly detail_code?: string | null | undefined
}

/** `Approved` and `Approval` are the same result (specification, PA resource). */
export function isApproved(outcome: OutcomeCodes | undefined): boolean {
  return outcome?.result === 'Approved' || outcome?.result === 'Approval'
}

/** Whether no authorization was needed, so none was granted. */
export function isUnneeded(outcome: OutcomeCodes | undefined): boolean {
  return outcome?.detail_code === 'prior_auth_not_required'
}

/** Whether the prescription of a PA with this outcome is transferred to its pharmacy, if it names one, once the PA is completed (specification, States). */
export function isFillable(outcome: OutcomeCodes | undefined): boolean {
  return isApproved(outcome) || isUnneeded(outcome)
}
