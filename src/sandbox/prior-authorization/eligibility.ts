import type { InsuranceRecord } from '../files/insurance-records.ts'
import type { Random } from '../platform/random.ts'
import type { Verdict } from './outcome.ts'
import type { EligibilityItem, PriorAuthorizationResource } from './resource.ts'

/** The result of the eligibility check of an NDP submission. */
export type EligibilityFinding = 'eligible' | 'error' | 'government_plan'

/** The response of the check: a health plan, or an error. The texts of the error are a choice. */
export function eligibilityResponse(
  { insurance }: PriorAuthorizationResource,
  finding: EligibilityFinding,
  random: Random,
): EligibilityItem[] {
  if (finding === 'error')
    return [
      {
        status: 'error',
        error_code: '75',
        error_message: 'The subscriber was not found.',
        action_code: 'C',
      },
    ]
  const card: InsuranceRecord['discrete_content'] = insurance[0]?.discrete_content ?? {}
  return [
    {
      status: 'success',
      health_plan_name: card.plan_name ?? 'Sample PPO',
      plan_type:
        finding === 'government_plan' ? random.pick(['medicare', 'medicare_advantage', 'medicaid', 'tricare']) : null,
      rx_bin: card.rx_bin ?? null,
      rx_pcn: card.rx_pcn ?? null,
      rx_grp: card.rx_group ?? null,
      effective_start_date: '2026-01-01',
      effective_end_date: null,
    },
  ]
}

/** The verdict of a PA that the check stops; undefined where the submission says to proceed anyway. */
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
