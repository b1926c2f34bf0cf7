import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '@pawl/base/parse-json'

/** Path of the first difference between two JSON texts, as ` (in note.0.text)`; empty if unknown. Never a value. */
export function differenceBetween(one: string, other: string): string {
  const path = firstDifference(parseJson(one), parseJson(other))
  return path === undefined || path.length === 0 ? '' : ` (in ${path.join('.')})`
}

function firstDifference(one: unknown, other: unknown): string[] | undefined {
  if (isDeepStrictEqual(one, other)) return undefined
  if (!isObject(one) || !isObject(other)) return []
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  for (const name of names) {
    const below = firstDifference(one[name], other[name])
    // A name with other characters may be patient data.
    if (below !== undefined) return /^\w{1,40}$/.test(name) ? [name, ...below] : []
  }
  return []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
