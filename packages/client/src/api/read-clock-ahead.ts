import type { HeaderReader } from '@pawl/base/net/fetch'

/** Milliseconds by which the local clock is ahead of the answer's `Date`, negative if behind, as precisely as a header of whole seconds allows; `undefined` without one. */
export function readClockAhead(headers: HeaderReader, askedAt: number, answeredAt: number): number | undefined {
  const saidAt = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(saidAt)) return undefined
  if (askedAt > saidAt + 1_000) return askedAt - saidAt - 1_000
  return Math.min(0, answeredAt - saidAt)
}
