import type { PieceOfWork, WorkFilter as LedgerFilter, WorkKey } from '@pawl/ledger/hot/work-filter'
import { integrationFile } from '@pawl/base/integration-file'
import { inSteps } from '@pawl/ledger/views/in-steps'
import type { StoryViews } from '@pawl/ledger/views/read-history'
import type { WorkCursor, WorkViews } from '@pawl/ledger/views/read-work'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import { maxListed } from './contract/work-contract.ts'
import { noSystem, type WorkFilter } from './contract/filter.ts'
import { refusal } from './serve.ts'

/** The filter as the ledger takes it. */
export function selectedBy({ resource: resourceId, handler, system, error: errorCode, state }: WorkFilter) {
  return { resourceId, state, handler, system: system === noSystem ? '' : system, errorCode } satisfies LedgerFilter
}

/** The filter that matches exactly one group. */
export function filterOf({ state, handler, system, errorCode }: WorkKey): WorkFilter {
  return { state, handler, system: system === '' ? noSystem : system, error: errorCode }
}

/** Total work in these groups. */
export function totalOf(groups: readonly Pick<WorkGroup, 'count'>[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

/** Pieces of work to try first, which show whether the rest would succeed. */
export const firstFew = 10

/** The act on the first pieces, if there are more, and the act on all. */
export function fewFirst<T extends object>(count: number, deed: T): (T | (T & { limit: number }))[] {
  return [...(count > firstFew ? [{ ...deed, limit: firstFew }] : []), deed]
}

/** All work that matches a filter. */
export async function readAllWork(ledger: Pick<WorkViews, 'work'>, filter: LedgerFilter): Promise<PieceOfWork[]> {
  const found: PieceOfWork[] = []
  for await (const { rows } of inSteps(async (after?: WorkCursor) => {
    const { rows, next } = await ledger.work(filter, maxListed, after)
    return { rows, cursor: next }
  }))
    found.push(...rows.map(({ resourceId, handler }) => ({ resourceId, handler })))
  return found
}

/** Max error codes named in a refusal. */
const maxCodes = 50

export interface KnownWorkDeps {
  ledger: Pick<StoryViews, 'resource'> & Pick<WorkViews, 'work' | 'workGroups'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
}

/** The filter as the ledger takes it. Throws `RequestRefused` if it names something unknown. The message never repeats the input, which may be pasted data. */
export async function selectKnown(filter: WorkFilter, { ledger, handlerNames, systemNames }: KnownWorkDeps) {
  const selected = selectedBy(filter)
  const { resourceId, handler, system, errorCode } = selected
  const isThere = async (filter: LedgerFilter) => (await ledger.work(filter, 1)).rows.length > 0
  // A removed handler or system may have left work.
  if (handler !== undefined && !handlerNames.includes(handler) && !(await isThere({ handler })))
    throw refusal(
      'unknown_handler',
      `No handler of ${integrationFile()} has this name: name one of ${handlerNames.join(', ')}.`,
    )
  if (resourceId !== undefined && (await ledger.resource(resourceId)) === undefined)
    throw refusal('unknown_resource', 'The ledger knows no resource of this id: `pawl sync` makes one known.')
  if (system !== undefined && !systemNames.includes(system) && !(await isThere({ system })))
    throw refusal(
      'unknown_system',
      `There is no system of this name, and no work failed at it: name one of ${systemNames.join(', ')}.`,
    )
  if (errorCode === undefined || (await isThere({ errorCode }))) return selected
  const found = (await ledger.workGroups()).map((group) => group.errorCode)
  const codes = [...new Set(found)].toSorted().slice(0, maxCodes)
  throw refusal(
    'unknown_error',
    codes.length === 0
      ? 'No parked or failed work has this error: there is none.'
      : `No parked or failed work has this error: name one of ${codes.join(', ')}.`,
  )
}
