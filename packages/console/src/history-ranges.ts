const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Ranges of the history: how long, in which steps, and from which of the ledger's spans. */
export const historyRanges = {
  '1 h': { forMs: hourMs, stepMs: minuteMs, span: 'minute' },
  '24 h': { forMs: 24 * hourMs, stepMs: 15 * minuteMs, span: 'minute' },
  '7 d': { forMs: 7 * 24 * hourMs, stepMs: 2 * hourMs, span: 'hour' },
} as const

export type HistoryRange = keyof typeof historyRanges

/** The address of the history over a range. */
export function addressOfRange(range: HistoryRange): string {
  return `/history?range=${encodeURIComponent(range)}`
}
