import { z } from 'zod'

/** Encodes a position in a list as one word for an address. */
export function writeCursor(cursor: unknown): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Decodes a cursor of `writeCursor`; undefined for anything else. */
export function readCursor<T extends z.ZodType>(fits: T, text: unknown): z.output<T> | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return fits.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data
  } catch {
    return undefined
  }
}

/** A cursor in a query. */
export function cursorOf<T extends z.ZodType>(fits: T) {
  return z.string().transform((text, context) => {
    const cursor = readCursor(fits, text)
    if (cursor === undefined) context.addIssue('It is not a cursor of this list.')
    return cursor
  })
}
