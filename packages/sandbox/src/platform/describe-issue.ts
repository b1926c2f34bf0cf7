import type { z } from 'zod'

/** Describes a schema issue for the author of a file. `legal`: the legal fields of the object with an unknown one. */
export function describeIssue(issue: z.core.$ZodIssue, legal: readonly string[] | undefined): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined') ? 'is missing' : `must be of type ${issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys': {
      const unknown = `has no ${issue.keys.map((key) => `"${key}"`).join(', ')}`
      return legal === undefined ? unknown : `${unknown}; legal here: ${legal.join(', ')}`
    }
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at most ${issue.maximum}` : issue.message
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty'
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at least ${issue.minimum}` : issue.message
    case 'invalid_key':
      return `"${String(issue.path.at(-1))}" is not known; ${issue.issues.map((one) => describeIssue(one, undefined)).join(', ')}`
    case 'invalid_union':
      return issue.errors
        .flat()
        .map((one) => [...one.path.map(String), describeIssue(one, undefined)].join(': '))
        .join(', or ')
    default:
      return issue.message
  }
}
