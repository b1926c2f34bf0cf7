import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import type { Observations } from '../observations.ts'
import { placeOf } from './failed-writes.ts'
import { hasFailed } from './writes.ts'

/** Finds runs that succeeded without any change after a failed read, although the handler changes something for another resource in the same state and never did for this one. */
export function succeededAfterFailedRead(seen: Observations): string[] {
  const { calls, portCalls, runOf, labels, unknownIds } = seen
  const reads = new Map<HandlerRun, Call[]>()
  const changing = new Set<HandlerRun>(portCalls.map(({ run }) => run))
  for (const call of calls) {
    const run = runOf(call)
    if (run === undefined) continue
    if (call.method === 'GET') reads.set(run, [...(reads.get(run) ?? []), call])
    else changing.add(run)
  }
  return [...reads].flatMap(([run, own]) => {
    const failed = own.find(
      (call) => hasFailed(call) && !own.some((other) => other.startedAt > call.startedAt && isSamePlace(other, call)),
    )
    if (failed === undefined || !run.isDone || changing.has(run)) return []
    if (unknownIds.has(run.resource) || !labels.has(run.resource)) return []
    const alike = [...changing].filter((each) => each.handler === run.handler && isSameState(each, run))
    const hasOwn = alike.some(({ resource }) => resource === run.resource)
    const peer = alike.find((each) => reads.get(each)?.some((call) => isSamePlace(call, failed) && !hasFailed(call)))
    if (hasOwn || peer === undefined) return []
    const [about, as] = [run, peer].map(({ resource }) => labels.get(resource))
    return [
      `${about}: ${run.handler} succeeded although a read of ${failed.system} had failed, and changed nothing, unlike for ${as}`,
    ]
  })
}

function isSamePlace(one: Call, other: Call): boolean {
  return one.method === other.method && one.system === other.system && placeOf(one) === placeOf(other)
}

function isSameState(one: HandlerRun, other: HandlerRun): boolean {
  return one.words.join(' ') === other.words.join(' ')
}
