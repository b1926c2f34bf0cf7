import { z } from 'zod'

/** A field that the service may omit, send as null or change: a value that does not fit reads as absent, never as an error. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

/** What a schema documents although it reads more: the items of a list, the values of a code. */
export type Documented = { items: z.ZodType } | { values: readonly string[] }
const documentation = new WeakMap<object, Documented>()

/** What this very schema documents, where it is one of those below. */
export function documentedBy(schema: z.core.$ZodType): Documented | undefined {
  return documentation.get(schema)
}

function document<T extends z.ZodType>(schema: T, documented: Documented): T {
  documentation.set(schema, documented)
  return schema
}

/** A list whose unreadable items are skipped, so that one of them never hides the others. */
export const lenientList = <T extends z.ZodType>(item: T) =>
  lenient(
    document(
      z.array(z.unknown()).transform((items) =>
        items.flatMap((candidate) => {
          const parsed = item.safeParse(candidate)
          return parsed.success ? [parsed.data] : []
        }),
      ),
      { items: item },
    ),
  )

/**
 * A value that the service added after its interface was written down. It is text like any other; the prefix exists for the compiler alone,
 * so that comparing it with a literal that is no documented value, such as a misspelt one, is an error. Whoever expects such a value reads it as a `string` first.
 */
export type Undocumented = `undocumented: ${string}`

/** A documented value, or one that the service added later. */
export type Lenient<T extends string> = T | Undocumented

/** Reads any string; the compiler takes it for a documented value or for one of no known name. */
export const lenientEnum = <const T extends string>(known: readonly T[]) =>
  // The compiler cannot see that z.string() reads each value as it is: a documented one, or else an undocumented one. What goes in is any string.
  document(z.string(), { values: known }) as unknown as z.ZodType<Lenient<T>, string>
