import { z } from 'zod'

/** Writes how far a list was read as one word for an address. */
export function writeCursor(cursor: unknown): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Reads what `writeCursor` wrote, if it fits; undefined of anything else. */
export function readCursor<T extends z.ZodType>(fits: T, text: unknown): z.output<T> | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return fits.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data
  } catch {
    return undefined
  }
}

/** The same word in a query. */
export function cursorOf<T extends z.ZodType>(fits: T) {
  return z.string().transform((text, context) => {
    const cursor = readCursor(fits, text)
    if (cursor === undefined) context.addIssue('It is no cursor of this list.')
    return cursor
  })
}
