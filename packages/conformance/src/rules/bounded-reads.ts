import type { Observations } from '../observations.ts'
import { isRestart } from '../steps.ts'
import { passUnless, type Rule } from './rule.ts'

/** pawl reads a resource a bounded number of times per delivery, failure, restart and clock change. */
export const boundedReads: Rule = {
  id: 'bounded-reads',
  title: 'Bounded API reads',
  judge(seen) {
    return passUnless(
      [...seen.labels].flatMap(([id, label]) => {
        const reads = seen.calls.filter(
          ({ system, method, path }) => system === 'service' && method === 'GET' && path.includes(id),
        )
        // A handler of another resource, such as an outreach attempt, must read the PA in each run.
        const others = new Set(reads.map(seen.runOf).filter((run) => run !== undefined && run.resource !== id))
        const allowed = allowedFor(seen, id) + 2 * others.size
        return reads.length <= allowed
          ? []
          : [`${label}: ${reads.length} reads at the service; the limit is ${allowed}`]
      }),
    )
  },
}

function allowedFor({ deliveries, calls, steps, clockChanges, strange, synced }: Observations, id: string): number {
  const arrivals = deliveries
    .filter(({ resourceId }) => resourceId === id)
    .reduce((sum, each) => sum + each.arrivals, 0)
  const failed = calls.filter(
    ({ system, path, answered }) => system === 'service' && path.includes(id) && answered?.status !== 200,
  )
  const disturbances = steps.filter(isRestart).length + clockChanges + strange.length + (synced.has(id) ? 1 : 0)
  return 6 + 2 * (arrivals + disturbances) + 2 * failed.length
}
