import type { Reading } from './rate-limits.ts'

/** `RateLimit-Policy` and `RateLimit` as structured-field lists, one member for each policy (specification, Limits 4). */
export function rateLimitHeaders(readings: readonly Reading[]): Record<string, string> {
  if (readings.length === 0) return {}
  return {
    'RateLimit-Policy': readings.map(policyMember).join(', '),
    RateLimit: readings.map(limitMember).join(', '),
  }
}

function policyMember({ policy: { name, windowSeconds, unit }, quota }: Reading): string {
  return `"${name}";q=${quota};w=${windowSeconds}${unit === undefined ? '' : `;dh-unit="${unit}"`}`
}

function limitMember({ policy: { name }, remaining, resetSeconds }: Reading): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`
}
