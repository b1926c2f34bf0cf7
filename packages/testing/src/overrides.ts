import type { Undocumented } from 'pawl-client/schemas/lenient'

/** The documented words of a field; any text if none are documented. */
type Documented<T> = [Words<T>] extends [never] ? T : Words<T> | Exclude<T, string>
type Words<T> = T extends Undocumented ? never : T extends string ? (string extends T ? never : T) : never

/** Overrides of a resource: documented fields and words only, at any depth. `null` for a field that the service omits. Lists are replaced whole. */
export type Overrides<T> = T extends readonly (infer Item)[]
  ? readonly Overrides<Item>[]
  : T extends object
    ? { [K in keyof T]?: Overrides<Documented<Exclude<T[K], undefined>>> | null | undefined }
    : T

/** A part of a resource in documented words only: fits handlers and overrides. */
export type Exact<T> = T extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : T extends object
    ? { [K in keyof T]: Exact<Documented<T[K]>> }
    : T

/** Merges overrides into defaults: merges objects, replaces everything else. An override of undefined keeps the default. */
export function withOverrides(defaults: unknown, different: unknown): unknown {
  if (different === undefined) return defaults
  if (!isRecord(defaults) || !isRecord(different)) return different
  const merged = Object.entries(different).map(([name, value]) => [name, withOverrides(defaults[name], value)])
  return { ...defaults, ...Object.fromEntries(merged) }
}

/** Whether a value is an object, neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
