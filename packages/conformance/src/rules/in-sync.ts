import { describeFailure } from '../handler-runs.ts'
import { onlyAtFinalSync } from './missed-news.ts'
import { cancelledWrongly, taskEndedByOneAttempt } from './called-off.ts'
import { succeededAfterFailedRead } from './failed-reads.ts'
import { type Rule, notApplicable, passUnless } from './rule.ts'

/** Whenever pawl settles, every system agrees with the service and no work is left. */
export const inSync: Rule = {
  id: 'in-sync',
  title: 'In sync whenever settled',
  judge(seen) {
    const { labels, differences, unfinished, hasSettled, unknownIds, compared } = seen
    if (labels.size === 0) return notApplicable('no step created a resource')
    const work = unfinished
      .filter(({ id }) => !unknownIds.has(id))
      .map(({ id, handler, state, code }) => {
        const why = describeFailure(seen, id, handler) || code
        return `${labels.get(id)}: ${handler} is ${state}${why === undefined ? '' : ` (${why})`}`
      })
    const held = differences.flatMap(({ id, found, step }) =>
      found.map((each) => `${labels.get(id)}: ${each}, once settled after step ${step}`),
    )
    const faults = [
      ...held,
      ...work,
      ...succeededAfterFailedRead(seen),
      ...cancelledWrongly(seen),
      ...taskEndedByOneAttempt(seen),
      ...onlyAtFinalSync(seen),
      ...neverEnding(seen),
    ]
    if (faults.length === 0 && compared.length === 0 && hasSettled)
      return notApplicable('pawl wrote to no system of the run; all work is done')
    return passUnless([...faults, ...(hasSettled || work.length > 0 ? [] : ['pawl never settled'])])
  },
}

/** Runs that lasted for the whole time in which everything was to settle, such as those that wait for another resource. */
function neverEnding({ runs, unsettled, labels }: Parameters<Rule['judge']>[0]): string[] {
  return unsettled.flatMap(({ step, from, to }) =>
    runs
      .filter(({ beganAt, endedAt }) => beganAt < from + settledMs && endedAt > to && endedAt !== Infinity)
      .map(
        ({ handler, resource }) =>
          `${labels.get(resource)}: ${handler} did not end while everything else settled after step ${step}`,
      ),
  )
}

/** How soon a run begins after the step before. */
const settledMs = 1_000
