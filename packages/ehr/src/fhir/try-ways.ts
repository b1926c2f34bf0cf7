import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { StoredResource } from './stored-resource.ts'
import type { ChartFinder, Sought } from './chart-finder.ts'
import { typeOf, type Written } from './chart-types.ts'
import type { Plans } from './plans.ts'
import type { TypePlan } from './strategy.ts'

/** Attempts when other writers keep changing the resource first. */
export const maxConflicts = 4

export interface TryWaysDeps {
  target: Sought
  written: Written
  plans: Plans
  carrier: ChartFinder['carrier']
  run: Pick<RunContext, 'leftOut' | 'log'>
}

/** One attempt by a plan. `seen`: the resource, if a search found it since the last attempt. */
type Attempt = (plan: TypePlan, seen: StoredResource | undefined) => Promise<string | undefined>

/** Attempts a write by the plan, again after a conflict, and by the next strategy if the chart refuses this one. Throws `EhrWriteFailed`. */
export async function tryWays(
  { target, written, plans, carrier, run }: TryWaysDeps,
  attempt: Attempt,
): Promise<string | undefined> {
  let conflicts = 0
  let seen: StoredResource | undefined
  for (;;) {
    const plan = await plans.of(written)
    if (plan.strategy === 'skip') {
      plans.skipped(written, plan, run)
      return undefined
    }
    try {
      return await attempt(plan, seen)
    } catch (error) {
      if (!(error instanceof EhrWriteFailed)) throw error
      const isConflict = (error.httpStatus === 409 || error.httpStatus === 412) && error.retry !== 'never'
      const found = isConflict && error.conditional ? await carrier(target, plan, error) : undefined
      seen = found?.[0]
      if (isConflict && conflicts < maxConflicts) {
        // Changed since it was read: read it again, keep the other changes, and retry.
        conflicts += 1
        continue
      }
      // After 409 the first write may still be running: without its condition, this one would create a second resource.
      const isInVain = error.httpStatus === 412 && found?.length === 0
      if (!(await hasNext(plans, { written, plan, error, isInVain }))) throw error
      conflicts = 0
    }
  }
}

interface Refusal {
  written: Written
  plan: TypePlan
  error: EhrWriteFailed
  /** Whether a condition was refused repeatedly although no resource has the identifier. */
  isInVain: boolean
}

/** Whether another strategy remains. */
async function hasNext(plans: Plans, { written, plan, error, isInVain }: Refusal): Promise<boolean> {
  if (isInVain && error.conditional === 'create') {
    plans.refused(typeOf(written), 'conditional create')
    return true
  }
  if (plan.strategy === 'create') return false
  const isCertain = error.httpStatus === 405 || error.httpStatus === 501 || isInVain
  // A search has no content to blame, but perhaps its identifier.
  if (!isCertain && !(error.httpStatus === 400 && error.isSearch)) return false
  return plans.contradicted(written, plan, { isCertain })
}
