type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name

/** A value from HTTP with camelCase field names. */
export type FromWire<T> = T extends readonly (infer Item)[]
  ? readonly FromWire<Item>[]
  : T extends object
    ? { [Name in keyof T as CamelCase<Name>]: FromWire<Exclude<T[Name], undefined>> }
    : T

/** Renames a request's fields to camelCase and drops undefined ones. */
export function fromWire<T>(value: T): FromWire<T> {
  // The compiler cannot follow the renaming of strings.
  return rename(value, (name) =>
    name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
  ) as FromWire<T>
}

/** Renames an answer's fields to snake_case, and replaces Infinity by null. */
export function toWire(value: unknown): unknown {
  if (value === Infinity) return null
  return rename(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toWire)
}

function rename(
  value: unknown,
  nameOf: (name: string) => string,
  each: (value: unknown) => unknown = (one) => rename(one, nameOf),
): unknown {
  if (Array.isArray(value)) return value.map(each)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [nameOf(name), each(field)]))
}

/** Drops undefined entries: an absent option differs from an undefined one. */
export function compact<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // The compiler cannot see that undefined entries are gone; optional ones stay optional.
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
