import { z } from 'zod'
import { groupings } from 'pawl-client/schemas/outcome-facts'

const number = z.number().int().min(0)
/** From 0 to 1; null for an empty whole. */
const share = z.number().nullable()
const ms = z.number().nullable()
const Spread = z.object({ count: number, medianMs: ms, p90Ms: ms, meanMs: ms })
const Turnaround = Spread.extend({ within72Hours: share, within7Days: share })
/** Decisions on requests of one urgency, with the share that kept its clock. */
const Decided = Spread.extend({ approved: number, denied: number, approvedShare: share, withinClock: share })
const byReason = z.record(z.string(), number)

/** The figures of a period, of all resources or of one group of them (docs/operating.md, The report). */
export const Figures = z.object({
  resources: number,
  requested: number,
  submitted: number,
  ended: z.object({
    approved: number,
    denied: number,
    notRequired: number,
    notSubmitted: number,
    other: number,
    failed: number,
    cancelled: number,
  }),
  approvedShare: share,
  deniedByReason: byReason,
  notSubmittedByReason: byReason,
  turnaroundFromSubmission: Turnaround,
  turnaroundFromRequest: Turnaround,
  urgent: Decided.describe('Requests with priority 0 or 1, from submission; the clock is 24 hours.'),
  standard: Decided.describe('All other requests, from submission; the clock is 72 hours.'),
  waitingForPractice: Spread,
  waitingForProvider: Spread,
  appeals: z.object({ made: number, approved: number, denied: number, endedOtherwise: number, approvedShare: share }),
  transfers: z.object({ completed: number, failed: number, cancelled: number, completedShare: share, time: Spread }),
  verifications: z.object({
    requested: number,
    completed: number,
    failed: number,
    cancelled: number,
    turnaround: Spread,
  }),
})
export type Figures = z.infer<typeof Figures>

/** Answer of `GET /api/report`. Groups come largest first, `others` last. */
export const Report = z.object({
  from: z.string(),
  to: z.string(),
  timeZone: z.string(),
  by: z.enum(groupings).optional(),
  behindMs: z.number().optional().describe('Age of the oldest work not counted yet; absent below ten seconds.'),
  figures: Figures,
  groups: z.array(z.object({ kind: z.enum(['one', 'unknown', 'others']), name: z.string(), figures: Figures })),
})
export type Report = z.infer<typeof Report>
