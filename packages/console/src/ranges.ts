import { z } from 'zod'

const hourMs = 3_600_000

/** Ranges of time that end now, in milliseconds. */
const rangeMs = {
  '10 min': 600_000,
  '1 h': hourMs,
  '6 h': 6 * hourMs,
  '24 h': 24 * hourMs,
  '3 d': 72 * hourMs,
  '7 d': 168 * hourMs,
} as const
type Range = keyof typeof rangeMs

/** Ranges of the lists on pages. */
export const listRanges = ['10 min', '1 h', '24 h', '7 d'] as const satisfies readonly Range[]

/** A range in an address; any other is ignored. */
export const Within = z.enum(listRanges).optional().catch(undefined)

/** How far back a reconcile can reach, the shortest first. */
export const reaches = ['1 h', '6 h', '24 h', '3 d', '7 d'] as const satisfies readonly Range[]
export type Reach = (typeof reaches)[number]

/** The moment when a range begins that ends at `now`. */
export function startOf(range: Range, now: number): number {
  return now - rangeMs[range]
}

/** How far back to reconcile to reach a moment, with room for a person's delay. */
export function reachTo(since: number, now: number): Reach {
  return reaches.find((each) => now - since < 0.8 * rangeMs[each]) ?? '7 d'
}

/** Ranges of the history: the size of a step, and the span of the ledger's tallies. */
export const historyRanges = {
  '1 h': { forMs: rangeMs['1 h'], stepMs: 60_000, span: 'minute' },
  '24 h': { forMs: rangeMs['24 h'], stepMs: 15 * 60_000, span: 'minute' },
  '7 d': { forMs: rangeMs['7 d'], stepMs: 2 * hourMs, span: 'hour' },
} as const
export type HistoryRange = keyof typeof historyRanges
