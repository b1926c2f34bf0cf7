import type { Finding } from '../contract/status-verdict.ts'
import { faultOf } from '../faults/fault.ts'
import { inCases } from '../faults/names.ts'
import { allWork, isPaused } from '../pausing.ts'
import type { Facts } from './facts.ts'

/** A time of which deliveries may be missing. */
export interface Gap {
  from: number
  to: number
  why: string
}

/** Whether all that changed since its beginning was asked for after its end. */
export function isAskedFor({ from, to }: Pick<Gap, 'from' | 'to'>, { reconciled }: Facts): boolean {
  return reconciled !== undefined && reconciled.at > to && reconciled.since <= from
}

/** The cases that asking for all that pawl knows does not bring: those that were new while deliveries were missed. Told until somebody says that none is missing, as pawl cannot know of them. */
export function unheardCases(gaps: readonly Gap[], facts: Facts): Finding[] {
  const { noneMissingAt = 0, readById = [] } = facts
  return gaps
    .filter((gap) => isAskedFor(gap, facts) && noneMissingAt <= gap.to)
    .map(({ from, to, why }) => {
      const count = readById.filter(({ at }) => at > to).reduce((sum, each) => sum + each.count, 0)
      const read = `${inCases(count)} ${count === 1 ? 'was' : 'were'}`
      return {
        ...faultOf(count === 0 ? 'new_cases' : 'other_new_cases', { read }, why),
        since: from,
        deeds: [{ do: 'none_missing', isRest: count > 0 }],
      }
    })
}

/** Whether it tells of cases that pawl cannot know. */
export function isAboutUnheard({ deeds = [] }: Finding): boolean {
  return deeds.some((deed) => deed.do === 'none_missing')
}

/** The time that a ledger lacks which a start found, with all work paused: since its newest delivery. */
export function gapOfPausedStart({ pausedStart, pauses }: Facts): Gap[] {
  if (pausedStart === undefined || isPaused(pauses, allWork)) return []
  const { at, newestAt = at } = pausedStart
  return [{ from: newestAt, to: at, why: 'a restored backup' }]
}
