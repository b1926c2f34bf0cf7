import { groupBy } from '@pawl/ledger/hot/group-by'
import type { Finding } from '../contract/status-verdict.ts'
import { faultOf } from '../faults/fault.ts'
import { inCases } from '../faults/names.ts'
import { allWork, isPaused } from '../pausing.ts'
import type { Facts } from './facts.ts'

/** A time whose deliveries may be missing. */
export interface Gap {
  from: number
  to: number
  why: string
}

/** Whether a reconcile after the gap reached back to its beginning; later ones may reach less far. */
export function isReconciled({ from, to }: Pick<Gap, 'from' | 'to'>, { reconciles = [] }: Facts): boolean {
  return reconciles.some(({ at, since }) => at > to && since <= from)
}

/** Gaps as one for each reason, from the first beginning to the last end. */
export function joinGaps<G extends Gap>(gaps: readonly G[], keyOf: (gap: G) => string): G[] {
  return [...groupBy(gaps, keyOf).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const all = [first, ...others]
    return [{ ...first, from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) }]
  })
}

/** Cases that no reconcile brings, since they were new while deliveries were missed. Reported until a person records that none is missing. */
export function unheardCases(gaps: readonly Gap[], facts: Facts): Finding[] {
  const { noneMissingAt = 0, readById = [] } = facts
  const unheard = gaps.filter((gap) => isReconciled(gap, facts) && noneMissingAt <= gap.to)
  return joinGaps(unheard, ({ why }) => why).map(({ from, to, why }) => {
    const count = readById.filter(({ at }) => at > to).reduce((sum, each) => sum + each.count, 0)
    const read = `${inCases(count)} ${count === 1 ? 'was' : 'were'}`
    return {
      ...faultOf(count === 0 ? 'new_cases' : 'other_new_cases', { read }, why),
      since: from,
      deeds: [{ do: 'none_missing', isRest: count > 0 }],
    }
  })
}

/** Whether a finding is about cases that pawl cannot know. */
export function isAboutUnheard({ deeds = [] }: Finding): boolean {
  return deeds.some((deed) => deed.do === 'none_missing')
}

/** The time missing from a restored ledger, from its newest delivery to the start that paused all work. */
export function gapOfPausedStart({ pausedStart, pauses }: Facts): Gap[] {
  if (pausedStart === undefined || isPaused(pauses, allWork)) return []
  const { at, newestAt = at } = pausedStart
  return [{ from: newestAt, to: at, why: 'a restored backup' }]
}
