import type { Observations } from '../observations.ts'
import { changedAt } from './courses.ts'

/** Finds records that a run added in an own system, by its receipts, although an earlier one had succeeded with the same snapshot. */
export function secondRecords(seen: Observations): string[] {
  const { receipts, lostClaims, labels } = seen
  return receipts.flatMap(({ run, system, type, id }, at) => {
    const before = receipts
      .slice(0, at)
      .filter(
        (each) =>
          each.system === system &&
          each.type === type &&
          each.run.handler === run.handler &&
          each.run.resource === run.resource,
      )
    const since = changedAt(run, seen)
    // A process that ended may have lost the results of its last runs.
    const isDone = before.some(
      (each) =>
        each.run !== run &&
        each.run.isDone &&
        each.run.snapshot === run.snapshot &&
        each.run.beganAt > since &&
        each.run.generation === run.generation,
    )
    if (!isDone || before.some((each) => each.id === id) || lostClaims.has(run.resource)) return []
    return [`${labels.get(run.resource)}: ${run.handler} added a ${type} to ${system} although nothing had changed`]
  })
}
