import type { Response } from 'express'
import type { Ledger, WorkFilter } from '../ledger/ledger.ts'

/** Error codes that a refusal names. */
const maxCodes = 50

interface KnownWorkDeps {
  ledger: Pick<Ledger, 'resource' | 'openErrors'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
}

/** Whether all that a filter names is known; else it is answered with 404. What was asked for is never repeated: who knows what was pasted there. */
export async function isKnownWork(
  { resourceId, handler, errorCode }: WorkFilter,
  { ledger, handlerNames }: KnownWorkDeps,
  res: Response,
): Promise<boolean> {
  const refuse = (code: string, message: string) => {
    res.status(404).json({ error: { code, message } })
    return false
  }
  if (handler !== undefined && !handlerNames.includes(handler))
    return refuse(
      'unknown_handler',
      `No handler of src/integration/index.ts has this name: name one of ${handlerNames.join(', ')}.`,
    )
  if (resourceId !== undefined && (await ledger.resource(resourceId)) === undefined)
    return refuse('unknown_resource', 'The ledger knows no resource of this id: `pawl sync` makes one known.')
  if (errorCode === undefined) return true
  const codes = await ledger.openErrors(maxCodes)
  if (codes.includes(errorCode)) return true
  return refuse(
    'unknown_error',
    codes.length === 0
      ? 'No parked or failed work has this error: there is none.'
      : `No parked or failed work has this error: name one of ${codes.join(', ')}.`,
  )
}
