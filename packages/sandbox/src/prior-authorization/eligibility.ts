import type { ShownInsurance } from 'pawl-client/schemas/insurance'
import type { Random } from '../platform/random.ts'
import type { Verdict } from './pa-verdict.ts'
import type { EligibilityItem, PriorAuthorizationResource } from 'pawl-client/schemas/prior-authorization'

/** Result of the eligibility check of an NDP submission. */
export type EligibilityFinding = 'eligible' | 'error' | 'government_plan'

/** The part after the test value in the id of the prescription message: `42` in `sandbox:eligibility_error:42:rx-1`. */
export function eligibilityDetail({ ndp_submission }: PriorAuthorizationResource): string | undefined {
  return ndp_submission?.prescription_message_id.split(':')[2]
}

/** Errors of the check, with reject reasons and follow-up actions of X12 271: the documents list none. */
const errors = [
  ['75', 'The subscriber was not found.', 'C'],
  ['42', 'The payer cannot answer at the moment.', 'R'],
  ['71', "The patient's date of birth does not match.", 'C'],
  ['72', "The subscriber's ID is missing or invalid.", 'C'],
  ['73', "The subscriber's name is missing or invalid.", 'C'],
  ['78', 'The subscriber is not in the group or plan.', 'N'],
] as const
const planTypes = ['medicare', 'medicare_advantage', 'medicaid', 'tricare'] as const

/** Response of the check: a health plan or an error. `detail` selects the error code or plan type, if it is one. */
export function eligibilityResponse(
  { insurance }: PriorAuthorizationResource,
  finding: EligibilityFinding,
  random: Random,
  detail?: string,
): EligibilityItem[] {
  if (finding === 'error') {
    const [error_code, error_message, action_code] = errors.find(([code]) => code === detail) ?? errors[0]
    return [{ status: 'error', error_code, error_message, action_code }]
  }
  const card: ShownInsurance['discrete_content'] = insurance[0]?.discrete_content ?? {}
  return [
    {
      status: 'success',
      health_plan_name: card.plan_name ?? 'Sample PPO',
      plan_type:
        finding === 'government_plan' ? (planTypes.find((type) => type === detail) ?? random.pick(planTypes)) : null,
      rx_bin: card.rx_bin ?? null,
      rx_pcn: card.rx_pcn ?? null,
      rx_grp: card.rx_group ?? null,
      effective_start_date: '2026-01-01',
      effective_end_date: null,
    },
  ]
}

/** Verdict of a PA that the check stops; undefined if the submission asks to proceed anyway. */
export function eligibilityStop(
  { ndp_submission }: PriorAuthorizationResource,
  finding: EligibilityFinding,
): Verdict | undefined {
  if (finding === 'error' && ndp_submission?.ignore_eligibility_check_error === false)
    return { result: 'Not Submitted', detail_code: 'eligibility_check_error' }
  if (finding === 'government_plan' && ndp_submission?.submit_pa_with_eligibility_check_government_plan !== true)
    return { result: 'Not Submitted', detail_code: 'eligibility_check_government_plan' }
  return undefined
}
