import { type ErrorCode } from 'pawl-client/schemas/documented-errors'
import { refuse, withRetryAfter } from '../../platform/refusal.ts'
import { planKeyOf } from '../script.ts'
import type { Circumstances, Rule } from './content-rule.ts'

const dayMs = 24 * 3_600_000

/** Refusal by a daily limit; undefined while fewer than `limit` of the `times` (oldest first) fall within the last day. `Retry-After` is the time until enough of them are a day old: wall-clock time, or sandbox time while that stands still. */
function refuseBeyond(code: ErrorCode, limit: number, times: readonly number[], about: Circumstances) {
  const today = times.filter((time) => time > about.now - dayMs)
  if (today.length < limit) return undefined
  const freesAt = (today[today.length - limit] ?? about.now) + dayMs
  const wallMs = about.wallMsUntil(freesAt)
  return withRetryAfter(refuse(code), (wallMs === Infinity ? freesAt - about.now : wallMs) / 1_000)
}

/** Daily limits of PA creation; the definition of a new plan is a choice (specification, Status codes and codes). */
export const limitRules: readonly Rule[] = [
  (about) => {
    const { dailyPriorAuthLimit: limit } = about.organization
    if (limit === Infinity) return undefined
    const times = about.priorAuthorizations.listOwn(about.organization.id).map(({ createdAt }) => createdAt)
    return refuseBeyond('daily_prior_auth_request_limit_reached', limit, times, about)
  },
  (about) => {
    const { dailyNewPlanLimit: limit } = about.organization
    const key = planKeyOf(about.request)
    if (limit === Infinity || key === null) return undefined
    const firstSeen = new Map<string, number>()
    for (const { script, createdAt } of about.priorAuthorizations.listOwn(about.organization.id))
      if (script.planKey !== null && !firstSeen.has(script.planKey)) firstSeen.set(script.planKey, createdAt)
    if (firstSeen.has(key)) return undefined
    return refuseBeyond('daily_prior_auth_request_new_plan_limit_reached', limit, [...firstSeen.values()], about)
  },
]
