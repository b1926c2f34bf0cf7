/** A copy of a JSON value, without the fields that are `undefined`. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  // The same shape, which the compiler cannot follow through the branches.
  if (Array.isArray(value)) return value.map(copyJson) as T
  const [fields, copy] = [value as Record<string, unknown>, {} as Record<string, unknown>]
  // Without an array for each field, of which a document has hundreds. Under this one name an assignment would set a prototype.
  for (const name of Object.keys(fields))
    if (fields[name] !== undefined && name !== '__proto__') copy[name] = copyJson(fields[name])
  return copy as T
}
