import type { RequestGap } from 'pawl-client/schemas/request-draft'

/** A value of the chart, or the reason why there is none. */
export type Found<T> = { value: T } | Pick<RequestGap, 'why' | 'says'>

export const found = <T>(value: T): Found<T> => ({ value })
export const absent: Found<never> = { why: 'absent', says: 'the chart has none' }
export const several = (count: number, what: string): Found<never> => ({ why: 'several', says: `${count} ${what}` })
export const unusable = (says: string): Found<never> => ({ why: 'unusable', says })

/** The only one of these values; several equal ones are one. */
export function onlyOne<T>(values: readonly T[], what: string): Found<T> {
  const [first, ...others] = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
  if (first === undefined) return absent
  return others.length === 0 ? found(first) : several(others.length + 1, what)
}

/** Changes a found value; `undefined` from `change` makes it unusable. */
export function change<T, U>(it: Found<T>, says: string, change: (value: T) => U | undefined): Found<U> {
  if (!('value' in it)) return it
  const value = change(it.value)
  return value === undefined ? unusable(says) : found(value)
}

/** Where in a request a value goes, and the place in the chart that it comes from. */
type FieldOrigin = readonly [field: string, from: string]

/** Collects the gaps of one draft, and fills them with given values. */
export interface Findings {
  /** A required field. */
  must<T>(origin: FieldOrigin, it: Found<T>): T | string | undefined
  /** A recommended field: its absence is reported. */
  should<T>(origin: FieldOrigin, it: Found<T>): T | string | undefined
  /** An optional field: only an ambiguous or unusable value is reported. */
  may<T>(origin: FieldOrigin, it: Found<T>): T | string | undefined
  /** A fault that no given value fixes. */
  refuse(origin: FieldOrigin, says: string): void
  missing: readonly RequestGap[]
  leftOut: readonly RequestGap[]
  /** Given fields that were no gap. */
  unused(): string[]
}

export function createFindings(given: Readonly<Record<string, string>>): Findings {
  const missing: RequestGap[] = []
  const leftOut: RequestGap[] = []
  const used = new Set<string>()

  function fill<T>([field, from]: FieldOrigin, it: Found<T>, gaps: RequestGap[], isGap = true): T | string | undefined {
    if ('value' in it) return it.value
    if (Object.hasOwn(given, field)) {
      used.add(field)
      return given[field]
    }
    if (isGap) gaps.push({ field, from, ...it })
    return undefined
  }

  return {
    must: (origin, it) => fill(origin, it, missing),
    should: (origin, it) => fill(origin, it, leftOut),
    may: (origin, it) => fill(origin, it, leftOut, !('why' in it && it.why === 'absent')),
    refuse: ([field, from], says) => void missing.push({ field, from, why: 'unusable', says }),
    missing,
    leftOut,
    unused: () => Object.keys(given).filter((field) => !used.has(field)),
  }
}

/** As a whole or broken number; other text stays, for the request's schema to refuse. */
export function numberOf(value: number | string | undefined): number | string | undefined {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
}
