import { describeError, PawlError } from '@pawl/base/errors'
import type { RecordedHandler, RecordedResource } from '@pawl/ledger/views/recorded'
import type { SystemsByName } from '@pawl/connector/system'
import { nameRole, type Rehearsed } from './rehearse.ts'

/** How a run would differ from the recorded one; `unknown`: a rehearsal cannot tell. */
export const differences = ['differs', 'more', 'less', 'throws', 'passes', 'unknown'] as const
export type Difference = (typeof differences)[number]

export interface Finding {
  is: Difference
  /** System and type, or the class and location of an error. Never content. */
  what: string
}

/** Differences of a rehearsal to the run that succeeded with the same snapshot. */
export function compareToSuccess(
  { resource, recorded, rehearsed }: { resource: RecordedResource; recorded: RecordedHandler; rehearsed: Rehearsed },
  systems: SystemsByName,
): Finding[] {
  const { error, writes, calls, undecided, newEffects } = rehearsed
  const findings: Finding[] = [
    ...writes.map(({ system, receipt, isChange }): Finding => ({
      is: isChange ? 'differs' : 'more',
      what: `${system} ${receipt.type}`,
    })),
    ...undecided.map(({ system, type }): Finding => ({ is: 'unknown', what: `${system} ${type}` })),
  ]
  const wroteTo = new Set(recorded.writes.map(({ system }) => system))
  // For a system without a rehearsal, only the fact of a write is compared.
  for (const { system, method } of calls)
    if (!wroteTo.has(system)) findings.push({ is: 'more', what: `${system}.${method}` })
  if (newEffects > 0) findings.push({ is: 'more', what: 'once' })
  if (error !== undefined) findings.push({ is: isAnswerable(rehearsed) ? 'throws' : 'unknown', what: nameError(error) })
  else if (rehearsed.isUncertain) findings.push({ is: 'unknown', what: 'a result that a rehearsal does not have' })
  else if (!rehearsed.hasOldEffects) findings.push(...findLess(resource, recorded, rehearsed, systems))
  return distinct(findings)
}

/** Differences of a rehearsal to the last run, which failed. */
export function compareToFailure(errorCode: string, rehearsed: Rehearsed): Finding[] {
  const { error, writes, calls, undecided } = rehearsed
  if (error !== undefined) {
    if (describeError(error).code === errorCode && errorCode !== 'unexpected') return []
    const what = `${nameError(error)} (recorded: ${errorCode})`
    // The code does not identify an error of a foreign class.
    if (errorCode === 'unexpected' && !(error instanceof PawlError)) return []
    return [{ is: isAnswerable(rehearsed) ? 'throws' : 'unknown', what }]
  }
  const isSending = writes.length + calls.length + undecided.length > 0
  // Only the system that refused a write can accept it.
  const isKnown = errorCode === 'unexpected' || !isSending
  return [{ is: isKnown && !rehearsed.isUncertain ? 'passes' : 'unknown', what: errorCode }]
}

/** An error after an unavailable result may be caused by it. */
function isAnswerable({ isUncertain, calls }: Rehearsed): boolean {
  return !isUncertain && calls.length === 0
}

/** Recorded writes whose memory the handler no longer reads. */
function findLess(
  { memory }: RecordedResource,
  { writes }: RecordedHandler,
  { roles, calls }: Rehearsed,
  systems: SystemsByName,
): Finding[] {
  return writes.flatMap(({ system, type, id }): Finding[] => {
    const less: Finding[] = [{ is: 'less', what: `${system} ${type}` }]
    if (systems[system]?.rehearse === undefined) return calls.some((call) => call.system === system) ? [] : less
    // A record without memory was replaced by a newer one.
    const remaining = memory.filter((each) => each.system === system && each.remembered.id === id)
    return remaining.length > 0 && !remaining.some(({ role }) => roles.has(nameRole(system, role))) ? less : []
  })
}

/** Class, and code or location. */
function nameError(error: unknown): string {
  return error instanceof PawlError ? `${error.name} (${error.code})` : describeError(error).message
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((each) => [JSON.stringify(each), each])).values()]
}
