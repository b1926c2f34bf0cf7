import { describeError, PawlError } from '../../base/errors.ts'
import type { RecordedHandler, RecordedResource } from '../../ledger/views/recorded.ts'
import type { SystemsByName } from '../../systems/system.ts'
import { nameRole, type Rehearsed } from './rehearse.ts'

/** In which way a run would differ from what is recorded; of `unknown`, a rehearsal cannot tell. */
export const differences = ['differs', 'more', 'less', 'throws', 'passes', 'unknown'] as const
export type Difference = (typeof differences)[number]

export interface Finding {
  is: Difference
  /** What it is about: system and type, or the class and place of an error. Never content. */
  what: string
}

/** How a rehearsal differs from the run that succeeded with the same snapshot. */
export function compareToSuccess(
  { resource, recorded, rehearsed }: { resource: RecordedResource; recorded: RecordedHandler; rehearsed: Rehearsed },
  systems: SystemsByName,
): Finding[] {
  const { error, writes, calls, untold, newEffects } = rehearsed
  const findings: Finding[] = [
    ...writes.map(({ system, receipt, isChange }): Finding => ({
      is: isChange ? 'differs' : 'more',
      what: `${system} ${receipt.type}`,
    })),
    ...untold.map(({ system, type }): Finding => ({ is: 'unknown', what: `${system} ${type}` })),
  ]
  const wroteTo = new Set(recorded.writes.map(({ system }) => system))
  // What was called of a system that cannot be rehearsed is compared with whether it was written to at all.
  for (const { system, method } of calls)
    if (!wroteTo.has(system)) findings.push({ is: 'more', what: `${system}.${method}` })
  if (newEffects > 0) findings.push({ is: 'more', what: 'once' })
  if (error !== undefined) findings.push({ is: isAnswerable(rehearsed) ? 'throws' : 'unknown', what: nameError(error) })
  else if (rehearsed.isUncertain) findings.push({ is: 'unknown', what: 'an answer that a rehearsal does not have' })
  else if (!rehearsed.hasOldEffects) findings.push(...findLess(resource, recorded, rehearsed, systems))
  return distinct(findings)
}

/** How a rehearsal differs from the last run, which failed. */
export function compareToFailure(errorCode: string, rehearsed: Rehearsed): Finding[] {
  const { error, writes, calls, untold } = rehearsed
  if (error !== undefined) {
    if (describeError(error).code === errorCode && errorCode !== 'unexpected') return []
    const what = `${nameError(error)} (recorded: ${errorCode})`
    // Whether an error of no class of pawl's is the same one, its code does not say.
    if (errorCode === 'unexpected' && !(error instanceof PawlError)) return []
    return [{ is: isAnswerable(rehearsed) ? 'throws' : 'unknown', what }]
  }
  const isSending = writes.length + calls.length + untold.length > 0
  // What another system refused, it alone can take.
  const isKnown = errorCode === 'unexpected' || !isSending
  return [{ is: isKnown && !rehearsed.isUncertain ? 'passes' : 'unknown', what: errorCode }]
}

/** What a run threw after an answer that nobody gave may be for that alone. */
function isAnswerable({ isUncertain, calls }: Rehearsed): boolean {
  return !isUncertain && calls.length === 0
}

/** What the handler wrote, and would not even look at now. */
function findLess(
  { memory }: RecordedResource,
  { writes }: RecordedHandler,
  { roles, calls }: Rehearsed,
  systems: SystemsByName,
): Finding[] {
  return writes.flatMap(({ system, type, id }): Finding[] => {
    const less: Finding[] = [{ is: 'less', what: `${system} ${type}` }]
    if (systems[system]?.rehearse === undefined) return calls.some((call) => call.system === system) ? [] : less
    // What is not remembered any more was replaced by what is.
    const standing = memory.filter((each) => each.system === system && each.remembered.id === id)
    return standing.length > 0 && !standing.some(({ role }) => roles.has(nameRole(system, role))) ? less : []
  })
}

/** Its class, and its code or place. */
function nameError(error: unknown): string {
  return error instanceof PawlError ? `${error.name} (${error.code})` : describeError(error).message
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((each) => [JSON.stringify(each), each])).values()]
}
