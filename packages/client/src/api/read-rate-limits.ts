import { policyNames } from '../schemas/rate-policies.ts'
import { type InnerList, type Item, parseList, Token } from 'structured-headers'
import { undocumented } from '../schemas/documented.ts'
import type { HeaderReader } from '@pawl/base/net/fetch'

/** One policy as reported by an answer; parts that the answer omits are absent (specification, Limits 4). */
export interface PolicyReading {
  /** A documented name, or `?1`, `?2` … for others, in the order of the answer. */
  name: string
  /** Units per window. */
  quota?: number
  windowMs?: number
  /** Units left. */
  remaining?: number
  /** Milliseconds until the window resets. */
  resetMs?: number
}

const documentedPolicies: ReadonlySet<string> = new Set(policyNames)

/** Reads `RateLimit-Policy` and `RateLimit`. A field that does not parse is ignored as a whole (RFC 9651, 4.2); an invalid value is ignored alone. */
export function readRateLimits(headers: HeaderReader): PolicyReading[] {
  const readings = new Map<string, PolicyReading>()
  const others: string[] = []
  const add = (field: string, toReading: (params: Item[1]) => Omit<PolicyReading, 'name'>) => {
    for (const [value, params] of membersOf(headers.get(field) ?? '')) {
      // Names are quoted strings; a name sent as a token means the same.
      const given = value instanceof Token ? value.toString() : value
      if (typeof given !== 'string' || given === '') continue
      if (!documentedPolicies.has(given) && !others.includes(given)) others.push(given)
      const name = documentedPolicies.has(given) ? given : `${undocumented}${others.indexOf(given) + 1}`
      readings.set(name, { ...readings.get(name), name, ...toReading(params) })
    }
  }
  add('ratelimit-policy', (params) => ({ ...part('quota', params, 'q', 1), ...part('windowMs', params, 'w', 1000) }))
  add('ratelimit', (params) => ({ ...part('remaining', params, 'r', 1), ...part('resetMs', params, 't', 1000) }))
  return [...readings.values()]
}

function membersOf(field: string): (Item | InnerList)[] {
  try {
    return parseList(field)
  } catch {
    return []
  }
}

function part(name: keyof Omit<PolicyReading, 'name'>, params: Item[1], key: string, factor: number) {
  const value = params.get(key)
  return typeof value === 'number' && value >= 0 ? { [name]: value * factor } : {}
}
