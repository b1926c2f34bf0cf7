import { Reach } from './contract/status-verdict.ts'

const hourMs = 3_600_000

/** How far back all resources are asked for, in milliseconds. */
export const askedSince: Readonly<Record<Reach, number>> = {
  '1 h': hourMs,
  '6 h': 6 * hourMs,
  '24 h': 24 * hourMs,
  '3 d': 72 * hourMs,
  '7 d': 168 * hourMs,
}

/** The shortest first. */
export const reaches: readonly Reach[] = Reach.options
