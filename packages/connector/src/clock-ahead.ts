import type { Clock } from '@pawl/base/clock'
import type { HeaderReader } from '@pawl/base/net/fetch'

/** Milliseconds by which this clock is ahead of the `Date` of an answer, negative if behind; undefined without one. */
export function clockAheadMs(headers: HeaderReader | undefined, clock: Clock): number | undefined {
  const aheadMs = clock.now() - Date.parse(headers?.get('date') ?? '')
  return Number.isNaN(aheadMs) ? undefined : aheadMs
}

/** Such as "600 s ahead of". */
export function sayAhead(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
}
