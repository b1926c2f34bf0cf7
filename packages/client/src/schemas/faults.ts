import type { z } from 'zod'
import type { Fault } from './documented-errors.ts'

/** A fault that a request schema found, as a 422 reports it; list positions are texts, too (specification, Error body shapes). */
export interface RequestFault extends Fault {
  loc: string[]
}

type Issue = z.core.$ZodIssue

/** Every fault that a request schema found in `input`, each with the exact path of the field; `loc` begins with `root`. */
export function faultsOf(error: z.ZodError, input: unknown, root = 'body'): RequestFault[] {
  const faults = error.issues.flatMap((issue) => faultsOfIssue(issue, input, [root]))
  return faults.filter((fault, index) => !isConsequence(fault, faults.slice(0, index)))
}

/** A value of the wrong type keeps only that fault: an empty array for a string is also reported as too short. */
function isConsequence({ loc }: RequestFault, earlier: readonly RequestFault[]): boolean {
  return earlier.some((one) => isOfWrongType(one, loc))
}

function faultsOfIssue(issue: Issue, input: unknown, base: readonly string[]): RequestFault[] {
  const loc = [...base, ...issue.path.map(String)]
  const value = valueAt(input, issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    }))
  if (value === undefined && issue.code !== 'custom') return [{ loc, msg: 'Field required', type: 'missing' }]
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return nearest(
      issue.errors.map((branch) => branch.flatMap((inner) => faultsOfIssue(inner, value, loc))),
      loc,
    )
  return [{ loc, msg: issue.message, type: typeOf(issue) }]
}

/** The allowed form that the caller likely meant: the one with the fewest faults, preferably with a fitting type and the given fields. */
function nearest(branches: RequestFault[][], loc: readonly string[]): RequestFault[] {
  const distance = (branch: RequestFault[]) =>
    branch.length +
    (branch.some((fault) => isOfWrongType(fault, loc)) ? 0.5 : 0) +
    (branch.some(({ type }) => type === 'extra_forbidden') ? 0.25 : 0)
  return branches.reduce((best, branch) => (distance(branch) < distance(best) ? branch : best))
}

function isOfWrongType(fault: RequestFault, loc: readonly string[]): boolean {
  return fault.type.endsWith('_type') && fault.loc.join('\n') === loc.join('\n')
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    // The compiler cannot see that reading an unknown field of an object is safe: a missing one is undefined.
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  )
}

function typeOf(issue: Issue): string {
  if (issue.code === 'too_small' && issue.origin === 'string') return 'string_too_short'
  if (issue.code === 'too_small' && issue.origin === 'array') return 'too_short'
  if (issue.code === 'too_small') return 'greater_than'
  if (issue.code === 'too_big') return 'less_than'
  if (issue.code === 'invalid_value') return 'enum'
  if (issue.code === 'invalid_type') return `${issue.expected}_type`
  if (issue.code === 'invalid_format' && issue.format === 'regex') return 'string_pattern_mismatch'
  return 'value_error'
}
