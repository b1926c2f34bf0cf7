import { refuse } from '../../platform/documented-errors.ts'
import { planKeyOf } from '../script.ts'
import type { Circumstances, Rule } from './rule.ts'

const dayMs = 24 * 3_600_000

function ownRecords({ organization, priorAuthorizations }: Circumstances) {
  return priorAuthorizations.listOwn(organization.id)
}

/** The daily limits of PA creation; what counts as a new plan is a choice (specification, Status codes and codes). */
export const limitRules: readonly Rule[] = [
  (about) => {
    const { dailyPriorAuthLimit: limit } = about.organization
    if (limit === Infinity) return undefined
    const today = ownRecords(about).filter(({ createdAt }) => createdAt > about.now - dayMs)
    return today.length < limit ? undefined : refuse('daily_prior_auth_request_limit_reached')
  },
  (about) => {
    const { dailyNewPlanLimit: limit } = about.organization
    const key = planKeyOf(about.request)
    if (limit === Infinity || key === null) return undefined
    const firstSeen = new Map<string, number>()
    for (const { script, createdAt } of ownRecords(about))
      if (script.planKey !== null && !firstSeen.has(script.planKey)) firstSeen.set(script.planKey, createdAt)
    const newToday = [...firstSeen.values()].filter((at) => at > about.now - dayMs)
    return firstSeen.has(key) || newToday.length < limit
      ? undefined
      : refuse('daily_prior_auth_request_new_plan_limit_reached')
  },
]
