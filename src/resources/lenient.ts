import { z } from 'zod'

/** A field that the service may omit, send as null or change: a value that does not fit reads as absent, never as an error. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

/** A list whose unreadable items are skipped, so that one of them never hides the others. */
export const lenientList = <T extends z.ZodType>(item: T) =>
  lenient(
    z.array(z.unknown()).transform((items) =>
      items.flatMap((candidate) => {
        const parsed = item.safeParse(candidate)
        return parsed.success ? [parsed.data] : []
      }),
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
export const lenientEnum = <const T extends string>(_known: readonly T[]) =>
  // The compiler cannot see that z.string() reads each value as it is: a documented one, or else an undocumented one. What goes in is any string.
  z.string() as unknown as z.ZodType<Lenient<T>, string>
