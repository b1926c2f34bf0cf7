import { parseJson } from '@pawl/base/parse-json'
import type { Observations } from '../observations.ts'
import { ownEffectsOf } from './own-effects.ts'

/** The last number of each field that counts what a handler tells of a record. */
interface Counted {
  count: number
  highest: number
  content: string
}

/** Finds numbers by which an own system tells a newer state from an older one, such as `revision`, that fall though the handler says something new: the system drops it. */
export function countedBack(seen: Observations): string[] {
  const last = new Map<string, Counted>()
  return ownEffectsOf(seen).flatMap(({ run, system, record, content, isTaken }) => {
    // What a run without its claim sends may arrive late.
    if (!isTaken || seen.lostClaims.has(run.resource)) return []
    return countersIn(content).flatMap(([name, count]) => {
      const key = [run.handler, run.resource, system, record, name].join(' ')
      const before = last.get(key)
      last.set(key, { count, highest: Math.max(count, before?.highest ?? count), content })
      if (before === undefined || before.content === content || count >= before.highest) return []
      return [
        `${seen.labels.get(run.resource)}: ${run.handler} told ${system} something new with ${name} ${count}, after ${before.highest}`,
      ]
    })
  })
}

const counters = /^(?:revision|version|sequence|seq)(?:_?(?:number|no|id))?$/i

function countersIn(content: string): [string, number][] {
  const said = parseJson(content)
  const values: unknown[] = Array.isArray(said) ? said : [said]
  return values.flatMap((value) =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, each]): [string, number][] =>
          counters.test(name) && typeof each === 'number' ? [[name, each]] : [],
        ),
  )
}
