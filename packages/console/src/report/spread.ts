import { startOfDay } from './period.ts'

/** Statistics of durations. */
export interface Spread {
  count: number
  /** Whole milliseconds; null without measurements. */
  medianMs: number | null
  p90Ms: number | null
  meanMs: number | null
}

export type Span = readonly [from: number, to: number]

/** The percentile `share` of the ordered values, interpolated like `percentile_cont` of SQL. */
export function percentile(ordered: ArrayLike<number>, share: number): number | null {
  const position = (ordered.length - 1) * share
  const [below, above] = [ordered[Math.floor(position)], ordered[Math.ceil(position)]]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (position - Math.floor(position))
}

/** A share of a whole, from 0 to 1; null if the whole is 0. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** The statistics of durations in milliseconds. */
export function spreadOf(durations: readonly number[]): Spread {
  // Many times faster than a compare function for a quarter of a million values.
  const ordered = Float64Array.from(durations).toSorted()
  const sum = ordered.reduce((total, each) => total + each, 0)
  return {
    count: ordered.length,
    medianMs: whole(percentile(ordered, 0.5)),
    p90Ms: whole(percentile(ordered, 0.9)),
    meanMs: whole(shareOf(sum, ordered.length)),
  }
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Whether a span is at most 24 hours. */
export function isWithin24Hours([from, to]: Span): boolean {
  return to - from <= dayMs
}

/** Whether a span is at most 72 hours. */
export function isWithin72Hours([from, to]: Span): boolean {
  return to - from <= 72 * hourMs
}

/** Whether a span ends by the seventh calendar day after its first day, in this process's time zone. */
export function isWithin7Days([from, to]: Span): boolean {
  // Calendar arithmetic is slow: skip it if the duration alone decides.
  return to - from < 6 * dayMs || to < startOfDay(from, 8)
}
