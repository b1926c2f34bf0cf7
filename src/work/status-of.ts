import { z } from 'zod'

const Status = z.looseObject({ status: z.string() })

/** The status that a document of the service states, if it states one. */
export function statusOf(data: unknown): string | undefined {
  return Status.safeParse(data).data?.status
}
