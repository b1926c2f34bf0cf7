import { parseJson } from '@pawl/base/parse-json'
import type { Observations } from '../observations.ts'
import { ownEffectsOf } from './own-effects.ts'

/** The last number in each field that counts a record's versions. */
interface Counted {
  count: number
  highest: number
  content: string
}

/** Finds version numbers (such as `revision`) sent to an own system that fall although the content is new: the system would drop it. */
export function countedBack(seen: Observations): string[] {
  const last = new Map<string, Counted>()
  return ownEffectsOf(seen).flatMap(({ run, system, record, content, isTaken }) => {
    // Requests of a run that lost its claim may arrive late.
    if (!isTaken || seen.lostClaims.has(run.resource)) return []
    return countersIn(content).flatMap(([name, count]) => {
      const key = [run.handler, run.resource, system, record, name].join(' ')
      const before = last.get(key)
      last.set(key, { count, highest: Math.max(count, before?.highest ?? count), content })
      if (before === undefined || before.content === content || count >= before.highest) return []
      return [
        `${seen.labels.get(run.resource)}: ${run.handler} sent ${system} new content with ${name} ${count}, after ${before.highest}`,
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
