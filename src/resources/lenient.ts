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

/** A documented value, or one that the service added later. */
export type Lenient<T extends string> = T | (string & {})

/** Reads any string, while editors and switches know the documented values. */
export const lenientEnum = <const T extends string>(_known: readonly T[]) =>
  // The compiler cannot see that the documented values are strings that z.string() reads as they are.
  z.string() as unknown as z.ZodType<Lenient<T>, Lenient<T>>
