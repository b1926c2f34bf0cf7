import type { Response } from 'express'
import type { WorkFilter } from '../ledger/views/work-filter.ts'
import type { Views } from '../ledger/views/create-views.ts'

/** Error codes that a refusal names. */
const maxCodes = 50

export interface KnownWorkDeps {
  ledger: Pick<Views, 'resource' | 'work' | 'workGroups'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
}

/** Whether all that a filter names is known; else it is answered with 404. What was asked for is never repeated: who knows what was pasted there. */
export async function isKnownWork(
  { resourceId, handler, system, errorCode }: WorkFilter,
  { ledger, handlerNames, systemNames }: KnownWorkDeps,
  res: Response,
): Promise<boolean> {
  const refuse = (code: string, message: string) => {
    res.status(404).json({ error: { code, message } })
    return false
  }
  const isThere = async (filter: WorkFilter) => (await ledger.work(filter, 1)).rows.length > 0
  // Work may be left of a handler or a system that there is no more.
  if (handler !== undefined && !handlerNames.includes(handler) && !(await isThere({ handler })))
    return refuse(
      'unknown_handler',
      `No handler of src/integration/index.ts has this name: name one of ${handlerNames.join(', ')}.`,
    )
  if (resourceId !== undefined && (await ledger.resource(resourceId)) === undefined)
    return refuse('unknown_resource', 'The ledger knows no resource of this id: `pawl sync` makes one known.')
  if (system !== undefined && !systemNames.includes(system) && !(await isThere({ system })))
    return refuse(
      'unknown_system',
      `There is no system of this name, and no work failed at it: name one of ${systemNames.join(', ')}.`,
    )
  if (errorCode === undefined || (await isThere({ errorCode }))) return true
  const found = (await ledger.workGroups()).map((group) => group.errorCode)
  const codes = [...new Set(found)].toSorted().slice(0, maxCodes)
  return refuse(
    'unknown_error',
    codes.length === 0
      ? 'No parked or failed work has this error: there is none.'
      : `No parked or failed work has this error: name one of ${codes.join(', ')}.`,
  )
}
