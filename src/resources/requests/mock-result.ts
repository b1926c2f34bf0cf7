import { z } from 'zod'

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

/** Every documented detail code, of whatever result. */
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

/** The outcome that a sandbox PA is to have (supplement, PA create). `detail_code` is not shown to be required, so it is optional. */
export const MockResultRequest = z.discriminatedUnion('result', [
  z.strictObject({
    result: z.literal('Approved'),
    detail_code: z.enum(detailCodes.Approved).optional(),
    prescription_transfer_error_code: z.enum(transferErrorCodes).optional(),
  }),
  z.strictObject({
    result: z.literal('Denied'),
    detail_code: z.enum(detailCodes.Denied).optional(),
    client_code: z.string().optional(),
  }),
  z.strictObject({
    result: z.literal('Not Submitted'),
    detail_code: z.enum(detailCodes['Not Submitted']).optional(),
  }),
  z.strictObject({
    result: z.literal('Other'),
    detail_code: z.enum(detailCodes.Other).optional(),
    trigger_message: z.boolean().optional(),
  }),
])
export type MockResultRequest = z.infer<typeof MockResultRequest>
