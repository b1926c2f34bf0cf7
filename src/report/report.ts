import { z } from 'zod'
import { groupings } from '../service/schemas/outcome-facts.ts'

const number = z.number().int().min(0)
/** From 0 to 1; null for an empty whole. */
const share = z.number().nullable()
const ms = z.number().nullable()
const Spread = z.object({ count: number, medianMs: ms, p90Ms: ms, meanMs: ms })
const Turnaround = Spread.extend({ within72Hours: share, within7Days: share })
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
  figures: Figures,
  groups: z.array(z.object({ kind: z.enum(['one', 'unknown', 'others']), name: z.string(), figures: Figures })),
})
export type Report = z.infer<typeof Report>
