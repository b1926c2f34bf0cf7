import { parseJson } from '@pawl/base/parse-json'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { ownEffectsOf } from './own-effects.ts'
import { textsOf } from './stale-records.ts'
import { chartWritesOf, sharedTypes } from './writes.ts'

/** A record after a write. */
interface Written {
  run: HandlerRun
  record: string
  system: string
  said: string
}

/** Finds records shared by two resources whose runs undo each other: a second run for one, in the same state as before, reverts a change that a run for the other made meanwhile. */
export function undoneWrites(seen: Observations): string[] {
  const { labels } = seen
  const before = new Map<string, Written[]>()
  return writtenIn(seen).flatMap((written) => {
    const { run, record, system, said } = written
    const all = before.get(record) ?? []
    before.set(record, [...all, written])
    const other = all.at(-1)
    if (other === undefined || other.run.resource === run.resource || other.run.handler !== run.handler) return []
    const own = all.findLast((each) => each.run.resource === run.resource && each.run.handler === run.handler)
    const isUndone = own?.run.snapshot === run.snapshot && own.said === said && other.said !== said
    if (!isUndone || !own.run.isDone || !other.run.isDone || hasMoved(other.run, run, seen)) return []
    return [
      `${labels.get(run.resource)}: ${run.handler} reverted in ${system} its change for ${labels.get(other.run.resource)}, although neither had changed`,
    ]
  })
}

/** Whether the other resource has moved since. */
function hasMoved(other: HandlerRun, { beganAt }: HandlerRun, { histories }: Observations): boolean {
  return histories.get(other.resource)?.times.some(({ at }) => at > other.beganAt && at <= beganAt) === true
}

/** Accepted writes of lasting records, in order. */
function writtenIn(seen: Observations): Written[] {
  const own = ownEffectsOf(seen).flatMap(({ run, system, record, content, isRepeatable, isTaken, startedAt: at }) =>
    isRepeatable && isTaken ? [{ run, at, system, record: `${system} ${record}`, said: content }] : [],
  )
  const inChart = chartWritesOf(seen.calls).flatMap(({ call, stored }) => {
    const run = seen.runOf(call)
    if (run === undefined || stored === undefined || sharedTypes.has(stored.split('/')[0] ?? '')) return []
    const { at = Infinity, body = '' } = call.done ?? {}
    return [{ run, at, system: 'the chart', record: stored, said: wordsOf(body) }]
  })
  return [...own, ...inChart].toSorted((one, other) => one.at - other.at)
}

/** Texts of a record without its version and times. */
function wordsOf(body: string): string {
  const texts = [...textsOf(parseJson(body))].filter(
    ([path, text]) => !/^(?:meta|id)\b/.test(path) && !/^\d{4}-\d\d-\d\dT/.test(text),
  )
  return JSON.stringify(texts)
}
