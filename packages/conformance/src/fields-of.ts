import { parseJson } from '@pawl/base/parse-json'

/** The fields of a JSON object; none of anything else. */
export function fieldsOf(text = ''): Record<string, unknown> {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
