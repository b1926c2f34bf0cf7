import { startOfDay } from './period.ts'

/** How long something took. */
export interface Spread {
  count: number
  /** Whole milliseconds; null where there is nothing to measure. */
  medianMs: number | null
  p90Ms: number | null
  meanMs: number | null
}

/** From when to when something took. */
export type Span = readonly [from: number, to: number]

/** The value that `share` of the ordered values do not exceed, between two of them in proportion, as `percentile_cont` of SQL. */
export function percentile(ordered: ArrayLike<number>, share: number): number | null {
  const place = (ordered.length - 1) * share
  const [below, above] = [ordered[Math.floor(place)], ordered[Math.ceil(place)]]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (place - Math.floor(place))
}

/** A share of a whole from 0 to 1; null of nothing. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** What is to be told of these durations in milliseconds. */
export function spreadOf(durations: readonly number[]): Spread {
  // Of a quarter of a million, many times as quick as by a function that compares.
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

/** Whether it took 72 hours at the most. */
export function isWithin72Hours([from, to]: Span): boolean {
  return to - from <= 72 * hourMs
}

/** Whether it ended at the latest on the seventh calendar day after the one on which it began, in the time zone of this process. */
export function isWithin7Days([from, to]: Span): boolean {
  // The calendar is slow, and only asked where the time of a day counts.
  return to - from < 6 * dayMs || to < startOfDay(from, 8)
}
