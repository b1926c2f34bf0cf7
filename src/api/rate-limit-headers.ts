import type { HeaderReader } from '../fetch.ts'
import { type Item, readList } from './structured-field.ts'

/** What an answer says of one policy; each part is absent where the answer is silent (specification, Limits 4). */
export interface PolicyReading {
  name: string
  /** Units a window. */
  quota?: number
  windowMs?: number
  /** Units left. */
  remaining?: number
  /** Milliseconds for which `remaining` has to do. */
  resetMs?: number
}

/** Reads `RateLimit-Policy` and `RateLimit`; what is malformed counts as not said. */
export function readRateLimits(headers: HeaderReader): PolicyReading[] {
  const readings = new Map<string, PolicyReading>()
  const add = (field: string, toReading: (item: Item) => Omit<PolicyReading, 'name'>) => {
    for (const item of readList(headers.get(field) ?? '') ?? []) {
      if (typeof item.value !== 'string' || item.value === '') continue
      readings.set(item.value, { ...readings.get(item.value), name: item.value, ...toReading(item) })
    }
  }
  add('ratelimit-policy', (item) => ({ ...part('quota', item, 'q', 1), ...part('windowMs', item, 'w', 1000) }))
  add('ratelimit', (item) => ({ ...part('remaining', item, 'r', 1), ...part('resetMs', item, 't', 1000) }))
  return [...readings.values()]
}

function part(name: keyof Omit<PolicyReading, 'name'>, item: Item, param: string, factor: number) {
  const value = item.params.get(param)
  return typeof value === 'number' && value >= 0 ? { [name]: value * factor } : {}
}
