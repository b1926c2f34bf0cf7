/** A copy of a JSON value, without the fields that are `undefined`. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  // The compiler cannot see that each branch keeps the shape.
  if (Array.isArray(value)) return value.map(copyJson) as T
  const [fields, copy] = [value as Record<string, unknown>, {} as Record<string, unknown>]
  // `Object.entries` would make an array per field, and a document has hundreds. Assigning `__proto__` would set the prototype.
  for (const name of Object.keys(fields))
    if (fields[name] !== undefined && name !== '__proto__') copy[name] = copyJson(fields[name])
  return copy as T
}
