import { z } from 'zod'
import type { WorkFilter } from '../ledger/ledger.ts'
import { Reason } from './reason.ts'

const Selected = z.strictObject({
  all: z.literal(true).optional(),
  resource_id: z.string().min(1).optional(),
  handler: z.string().min(1).optional(),
  error: z.string().min(1).optional(),
  dry_run: z.boolean().default(false),
})

/** One resource, one handler, one error, or all that is given; all work only when said so: an empty body must not touch everything by accident. */
function saysWhich({ all, resource_id, handler, error }: z.infer<typeof Selected>): boolean {
  return (all === true) !== [resource_id, handler, error].some((each) => each !== undefined)
}

/** What a request to retry asks for. */
export const RetryAsked = Selected.refine(saysWhich)
/** What a request to discard asks for. */
export const DiscardAsked = Selected.extend({ reason: Reason }).refine(saysWhich)

/** Which work such a request means. */
export function selectedBy({ resource_id: resourceId, handler, error: errorCode }: z.infer<typeof RetryAsked>) {
  return { resourceId, handler, errorCode } satisfies WorkFilter
}
