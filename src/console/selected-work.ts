import { z } from 'zod'
import { inSteps } from '../ledger/views/in-steps.ts'
import { Reason } from './reason.ts'
import type { Work, WorkCursor } from '../ledger/views/read-work.ts'
import type { WorkFilter } from '../ledger/views/work-filter.ts'
import type { Views } from '../ledger/views/create-views.ts'

/** Stands in addresses and options for "at no system". */
export const noSystem = '-'

/** Work that one answer lists. */
export const maxListed = 1_000

const Name = z.string().min(1).optional()
/** How work stands that failed. */
export const State = z.enum(['parked', 'failing', 'waiting'])
const Fields = { handler: Name, system: Name, error: Name, state: State.optional() }

/** What a request to list work asks for. */
export const ListAsked = z.object({
  ...Fields,
  resource: Name,
  state: State.exclude(['parked']).optional(),
  limit: z.coerce.number().int().min(1).max(maxListed).optional(),
})

const Selected = z.strictObject({
  all: z.literal(true).optional(),
  resource_id: Name,
  ...Fields,
  dry_run: z.boolean().default(false),
})

/** One resource, one handler, one system, one error, one state, or all that is given; all work only when said so: an empty body must not touch everything by accident. */
function saysWhich({ all, ...fields }: z.infer<typeof Selected>): boolean {
  return (all === true) !== ['resource_id', ...Object.keys(Fields)].some((name) => Object.hasOwn(fields, name))
}

/** What a request to retry asks for. */
export const RetryAsked = Selected.refine(saysWhich)
/** What a request to discard asks for. */
export const DiscardAsked = Selected.extend({ reason: Reason }).refine(saysWhich)

const Word = z.string().min(1).max(200).optional().catch(undefined)

/** Which failed work to show or to retry, as the addresses of pages and their forms say it; what cannot be read is left out. */
export const WorkQuery = z.object({
  state: State.optional().catch(undefined),
  handler: Word,
  system: Word,
  error: Word,
})
export type WorkQuery = z.infer<typeof WorkQuery>

/** Which work such a request means. */
export function selectedBy({
  resource_id,
  resource: resourceId = resource_id,
  state,
  handler,
  system,
  error: errorCode,
}: WorkQuery & { resource_id?: string | undefined; resource?: string | undefined }) {
  return {
    resourceId,
    state,
    handler,
    system: system === noSystem ? '' : system,
    errorCode,
  } satisfies WorkFilter
}

/** All of the work that a filter lets through. */
export async function readAllWork(ledger: Pick<Views, 'work'>, filter: WorkFilter): Promise<Work[]> {
  const found: Work[] = []
  for await (const { rows } of inSteps(async (after?: WorkCursor) => {
    const { rows, next } = await ledger.work(filter, maxListed, after)
    return { rows, cursor: next }
  }))
    found.push(...rows)
  return found
}
