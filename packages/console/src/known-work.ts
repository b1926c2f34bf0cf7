import type { WorkFilter } from '@pawl/ledger/hot/work-filter'
import { integrationFile } from '@pawl/base/integration-file'
import type { StoryViews } from '@pawl/ledger/views/read-history'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import { refusal } from './serve.ts'

/** Max error codes named in a refusal. */
const maxCodes = 50

export interface KnownWorkDeps {
  ledger: Pick<StoryViews, 'resource'> & Pick<WorkViews, 'work' | 'workGroups'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
}

/** Throws `RequestRefused` if a filter names something unknown. The message never repeats the input, which may be pasted data. */
export async function requireKnownWork(
  { resourceId, handler, system, errorCode }: WorkFilter,
  { ledger, handlerNames, systemNames }: KnownWorkDeps,
): Promise<void> {
  const isThere = async (filter: WorkFilter) => (await ledger.work(filter, 1)).rows.length > 0
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
  if (errorCode === undefined || (await isThere({ errorCode }))) return
  const found = (await ledger.workGroups()).map((group) => group.errorCode)
  const codes = [...new Set(found)].toSorted().slice(0, maxCodes)
  throw refusal(
    'unknown_error',
    codes.length === 0
      ? 'No parked or failed work has this error: there is none.'
      : `No parked or failed work has this error: name one of ${codes.join(', ')}.`,
  )
}
