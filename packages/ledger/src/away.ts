import { z } from 'zod'

/** A system that is away, or that refuses one kind of request for all resources, as known to one process. */
export const Away = z.object({
  system: z.string(),
  request: z
    .string()
    .optional()
    .describe('The refused kind of request, such as `PUT /Task`; absent if the whole system is away.'),
  forMs: z.number().optional().describe('Since this process found it away; absent if another process did.'),
  leftAloneMs: z.number().optional().describe('If another process found it away.'),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      reason: z.string().optional().describe('Why, in a few words, such as `no connection (ECONNREFUSED)`.'),
      httpStatus: z.number().optional().describe('Of its answer.'),
    })
    .optional(),
})
export type Away = z.infer<typeof Away>
