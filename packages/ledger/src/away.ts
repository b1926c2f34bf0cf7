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

/** The status by which a system refuses all of pawl, so that a person must act; `undefined` if it may come back by itself. */
export function refusalOf(error: Away['error']): 401 | 403 | undefined {
  const status = error?.httpStatus
  return status === 401 || status === 403 ? status : undefined
}
