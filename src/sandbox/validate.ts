import type { z } from 'zod'
import { type ValidationFault, validationRefusal } from './errors.ts'

type Issue = z.core.$ZodIssue

/** The request's body as the schema's type; throws a 422 `Refusal` that names every fault, with `loc` beginning at `root`. */
export function validate<T extends z.ZodType>(schema: T, input: unknown, root = 'body'): z.infer<T> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw validationRefusal(parsed.error.issues.flatMap((issue) => faultsOf(issue, input, [root])))
}

function faultsOf(issue: Issue, input: unknown, base: readonly string[]): ValidationFault[] {
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
    return fewest(issue.errors.map((branch) => branch.flatMap((inner) => faultsOf(inner, value, loc))))
  return [{ loc, msg: issue.message, type: typeOf(issue) }]
}

/** Of several allowed forms the caller meant the one with the fewest faults. */
function fewest(branches: ValidationFault[][]): ValidationFault[] {
  return branches.reduce((best, branch) => (branch.length < best.length ? branch : best))
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    // The compiler cannot see that reading an unknown field of an object is safe: what is not there is undefined.
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
