import { z } from 'zod'
import { Word } from '@pawl/base/pages/query'
import { inSteps } from '@pawl/ledger/views/in-steps'
import type { Work, WorkCursor, WorkViews } from '@pawl/ledger/views/read-work'
import type { WorkFilter } from '@pawl/ledger/hot/work-filter'
import { maxListed, noSystem, State } from './contract/work-contract.ts'

/** Filter of failed work, from addresses and forms of pages; invalid parts are ignored. */
export const WorkQuery = z.object({
  state: State.optional().catch(undefined),
  handler: Word,
  system: Word,
  error: Word,
})
export type WorkQuery = z.infer<typeof WorkQuery>

/** The work that a request selects. */
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

/** All work that matches a filter. */
export async function readAllWork(ledger: Pick<WorkViews, 'work'>, filter: WorkFilter): Promise<Work[]> {
  const found: Work[] = []
  for await (const { rows } of inSteps(async (after?: WorkCursor) => {
    const { rows, next } = await ledger.work(filter, maxListed, after)
    return { rows, cursor: next }
  }))
    found.push(...rows)
  return found
}
