/** Values by the dotted path of a field, such as `patient.last_name` or `diagnoses.0.code`. Null removes the field. */
export type Overrides = Readonly<Record<string, unknown>>

/** Copies a body, replaces the given fields, and adds missing parents. */
export function override(body: Record<string, unknown>, overrides: Overrides): Record<string, unknown> {
  // An object stays an object.
  return Object.entries(overrides).reduce<unknown>(
    (changed, [path, value]) => replaceAt(changed, path.split('.'), value),
    body,
  ) as Record<string, unknown>
}

function replaceAt(parent: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  if (Array.isArray(parent)) {
    const items: unknown[] = [...parent]
    const index = Number(name)
    return Number.isInteger(index) && index >= 0 && index <= items.length
      ? items.toSpliced(index, 1, next(items[index], rest, value))
      : items
  }
  const fields = typeof parent === 'object' && parent !== null ? Object.entries(parent) : []
  const others = fields.filter(([field]) => field !== name)
  if (rest.length === 0 && value === null) return Object.fromEntries(others)
  const before = fields.find(([field]) => field === name)?.[1]
  return Object.fromEntries([...others, [name, next(before, rest, value)]])
}

const next = (before: unknown, rest: readonly string[], value: unknown) =>
  rest.length === 0 ? value : replaceAt(before, rest, value)
