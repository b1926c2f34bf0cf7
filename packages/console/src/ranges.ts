import { z } from 'zod'

/** Ranges of time that pages offer, in milliseconds. */
export const ranges = {
  '10 min': 600_000,
  '1 h': 3_600_000,
  '24 h': 86_400_000,
  '7 d': 604_800_000,
} as const

/** A range in an address; any other is ignored. */
export const Within = z.enum(['10 min', '1 h', '24 h', '7 d']).optional().catch(undefined)

/** When a range that ends now begins. */
export function sinceOf(within: keyof typeof ranges | undefined, now: number): number | undefined {
  return within === undefined ? undefined : now - ranges[within]
}
