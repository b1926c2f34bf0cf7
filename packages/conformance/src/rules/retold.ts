import { parseJson } from '@pawl/base/parse-json'
import { comparedHandlers } from '../compare-systems.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import type { Observations } from '../observations.ts'
import { textsOf } from './stale-records.ts'

/** Finds changes that a system refused and that the next run worded differently, although snapshot and reads were equal: the content depends on the attempt. */
export function retoldOtherwise(seen: Observations): string[] {
  const { runs, labels, lostClaims, edits } = seen
  const callsOf = new Map<HandlerRun, Call[]>()
  for (const call of seen.calls) {
    const run = seen.runOf(call)
    if (run !== undefined) callsOf.set(run, [...(callsOf.get(run) ?? []), call])
  }
  const last = new Map<string, HandlerRun>()
  return runs.flatMap((run) => {
    const key = `${run.handler} ${run.resource}`
    const before = last.get(key)
    last.set(key, run)
    if (before === undefined || before.isDone || before.snapshot !== run.snapshot) return []
    // The comparison with the service covers these handlers' records, which follow the chart's content.
    if (comparedHandlers.has(run.handler)) return []
    if (lostClaims.has(run.resource) || before.endedAt > run.beganAt) return []
    const [refused, again] = [before, run].map((each) => callsOf.get(each) ?? [])
    if (refused === undefined || again === undefined || !haveSameReads(refused, again)) return []
    // Later content may name records accepted in between.
    if (refused.some(({ method, done }) => method !== 'GET' && done !== undefined)) return []
    if (edits.some(({ at }) => at > before.beganAt && at < run.endedAt)) return []
    return refused.flatMap((call) => {
      if (call.method === 'GET' || call.done !== undefined) return []
      const like = (all: readonly Call[]) => all.filter((each) => isSamePlace(each, call))
      const [other] = like(again)
      if (other === undefined || like(again).length > 1 || like(refused).length > 1) return []
      const isSame = saidIn(other) === saidIn(call) || call.by?.once !== other.by?.once
      return isSame
        ? []
        : [
            `${labels.get(run.resource)}: ${run.handler} sent the ${call.system} different content on a retry, although nothing had changed`,
          ]
    })
  })
}

/** Whether both runs read the same. */
function haveSameReads(before: readonly Call[], after: readonly Call[]): boolean {
  const read = new Map(before.flatMap((call) => (call.method === 'GET' && call.done ? [[call.path, call.done]] : [])))
  return after.every(({ method, path, done }) => {
    const known = read.get(path)
    return method !== 'GET' || known === undefined || known.body === done?.body
  })
}

function isSamePlace(one: Call, other: Call): boolean {
  return one.method === other.method && one.system === other.system && one.path === other.path
}

/** Texts and numbers, without ids and times. */
function saidIn({ body }: Call): string {
  const said = parseJson(body)
  const texts = said === undefined ? [['', body] as const] : [...textsOf(said)]
  const kept = texts.filter(
    ([path]) => !/(?:^|\.)(?:id|reference|value|fullUrl|url)$|^(?:meta|identifier)\b/.test(path),
  )
  return JSON.stringify(kept.map(([path, text]) => [path, text.replaceAll(timed, '#')]))
}

const timed = /\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?|\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g
