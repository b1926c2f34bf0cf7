import { describeCall, hostOf } from '../describe-request.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import type { Observations } from '../observations.ts'
import { passUnless, type Rule } from './rule.ts'

/** A run whose change failed does not succeed without it. */
export const failedWrites: Rule = {
  id: 'failed-writes',
  title: 'No failed write passed over',
  judge: (seen) => passUnless(passedOver(seen)),
}

/** Finds changes that a system refused temporarily or for a version conflict, or that never arrived, which were not retried although the handler succeeded in that state; a change that must not be repeated and never arrived, only where its own run succeeded. Instead the handler may have used another place, such as a task for staff. After a conflict, a fresh read may show that nothing is left to change. */
function passedOver(seen: Observations): string[] {
  const { calls, runs, runOf, labels, unknownIds, patientOf } = seen
  const writes = calls.flatMap((call) => {
    const run = runOf(call)
    return run === undefined || call.method === 'GET' || call.method === 'HEAD' ? [] : [{ call, run }]
  })
  return writes.flatMap(({ call, run }) => {
    const isLost = call.done === undefined && call.answered === undefined && (mayBeRepeated(call) || run.isDone)
    if (!(isRefused(call) || isConflict(call) || isLost) || unknownIds.has(run.resource) || !labels.has(run.resource))
      return []
    // Such a run gets `mayHaveRun` and may rather skip an effect than repeat it.
    if (!run.isDone && call.by?.once !== undefined && !mayBeRepeated(call)) return []
    const end = runs.find(
      (each) =>
        each.handler === run.handler &&
        each.resource === run.resource &&
        each.isDone &&
        each.endedAt >= run.endedAt &&
        isSameState(each, run),
    )
    if (end === undefined) return []
    const isOwn = (other: HandlerRun) => other.handler === run.handler && other.resource === run.resource
    // Another handler may keep the same record, and another case may bring the patient's data.
    const isAkin = (other: HandlerRun) =>
      other.resource === run.resource ||
      (other.handler === run.handler && patientOf(other.resource) === patientOf(run.resource))
    const isMadeUpFor = writes.some(
      (other) =>
        other.call.startedAt > call.startedAt &&
        other.call.startedAt <= end.endedAt &&
        (other.call.done?.status ?? 500) < 300 &&
        ((isAkin(other.run) && isAgain(other.call, call) && !isOtherItem(other, { call, run })) ||
          (other.run === run && isElsewhere(other.call, call)) ||
          // A handler may act differently after a failure.
          (isOwn(other.run) && !run.isDone && other.run !== run)),
    )
    if (isMadeUpFor || (isConflict(call) && isReadAgain(call, end, seen))) return []
    const failed = `${describeCall(call)} (${call.answered?.status ?? 'no answer'})`
    return [
      run.isDone
        ? `${labels.get(run.resource)}: ${run.handler} swallowed the error of its ${failed}: its run succeeded without it`
        : `${labels.get(run.resource)}: ${run.handler} did not retry its ${failed}: a later run succeeded without it`,
    ]
  })
}

/** A PUT, PATCH or DELETE, or a request with an id by which the system recognises a copy. */
function mayBeRepeated({ method, headers }: Call): boolean {
  return method !== 'POST' || headers['idempotency-key'] !== undefined || headers['webhook-id'] !== undefined
}

/** Refused before it took effect, by an explicit answer. */
function isRefused({ done, answered }: Call): boolean {
  return done === undefined && answered !== undefined && (answered.status === 429 || answered.status >= 500)
}

/** Others changed the record first. */
function isConflict({ done, method }: Call): boolean {
  return done?.status === 412 && (method === 'PUT' || method === 'PATCH')
}

/** Whether the handler read such a record between then and its success. */
function isReadAgain(call: Call, end: HandlerRun, { calls, runOf }: Observations): boolean {
  return calls.some((other) => {
    const run = runOf(other)
    return (
      other.method === 'GET' &&
      other.startedAt > call.startedAt &&
      other.startedAt <= end.endedAt &&
      run?.handler === end.handler &&
      run.resource === end.resource &&
      other.system === call.system &&
      placeOf(other) === placeOf(call)
    )
  })
}

function isSameState(one: HandlerRun, other: HandlerRun): boolean {
  return one.words.join(' ') === other.words.join(' ')
}

/** The same kind of change, under the same `once` key if it had one. */
function isAgain(other: Call, call: Call): boolean {
  const isSameKey = other.by?.handler !== call.by?.handler || other.by?.once === call.by?.once
  return other.system === call.system && placeOf(other) === placeOf(call) && isSameKey
}

/** For the same snapshot, the id marks different content. */
function isOtherItem(one: Sent, other: Sent): boolean {
  const [key, otherKey] = [one, other].map(({ call: { headers } }) => headers['idempotency-key'])
  const isSame = one.run.snapshot === other.run.snapshot && one.run.handler === other.run.handler
  return isSame && key !== undefined && otherKey !== undefined && key !== otherKey
}

interface Sent {
  call: Call
  run: HandlerRun
}

/** The kind of record, without ids. */
export function placeOf({ path }: Call): string {
  return (path.split('?')[0] ?? '').replaceAll(/\/[\w.-]*\d[\w.-]*(?=\/|$)/g, '')
}

/** Another host, another system, or a task for staff. */
function isElsewhere(other: Call, call: Call): boolean {
  if (other.system === 'chart') return other.body.includes('-staff-task"')
  return other.system !== call.system || hostOf(other.path) !== hostOf(call.path)
}
