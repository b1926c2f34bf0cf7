import { z } from 'zod'

/** The five policies of the service's rate limits (specification, Limits). */
export const policyNames = [
  'read-endpoint-minute',
  'write-endpoint-minute',
  'rtbv-drug-minute',
  'bv-drug-24h',
  'pa-create-24h',
] as const
export type PolicyName = (typeof policyNames)[number]

/** The service's last report of one of its rate limits. */
export const LimitReading = z.object({
  policy: z.string(),
  endpoint: z.string(),
  quota: z.number().optional(),
  remaining: z.number(),
  resetMs: z.number().optional().describe('Until the reset of the limit, as of the report.'),
  agoMs: z.number(),
})
export type LimitReading = z.infer<typeof LimitReading>
