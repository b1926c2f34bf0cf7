import { z } from 'zod'
import { inSteps } from '../ledger/views/in-steps.ts'
import type { Work, WorkCursor } from '../ledger/views/read-work.ts'
import type { WorkFilter } from '../ledger/views/work-filter.ts'
import type { Views } from '../ledger/views/create-views.ts'
import { maxListed, noSystem, State } from './contract/work-contract.ts'

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
