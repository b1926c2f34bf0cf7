import type { HeaderReader } from './fetch.ts'

/** Milliseconds by which the local clock is ahead of an answer's `Date`, negative if behind, as precisely as a header of whole seconds allows; `undefined` without one. */
export function readClockAhead(
  headers: HeaderReader | undefined,
  askedAt: number,
  answeredAt = askedAt,
): number | undefined {
  const saidAt = Date.parse(headers?.get('date') ?? '')
  if (Number.isNaN(saidAt)) return undefined
  if (askedAt > saidAt + 1_000) return askedAt - saidAt - 1_000
  return Math.min(0, answeredAt - saidAt)
}

/** Such as "600 s ahead of". */
export function sayAhead(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 1_000)} s ${wayOf(aheadMs)}`
}

/** How the local clock stands to the other one. */
export function wayOf(aheadMs: number): 'ahead of' | 'behind' {
  return aheadMs > 0 ? 'ahead of' : 'behind'
}
