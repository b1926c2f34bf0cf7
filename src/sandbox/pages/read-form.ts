import type { Request } from 'express'
import { z } from 'zod'
import { validationRefusal } from '../platform/refusal.ts'

/** A field that may be left empty. */
export const optionalText = z
  .string()
  .trim()
  .max(10_000)
  .transform((text) => (text === '' ? undefined : text))
  .optional()

/** A choice that may be left open, which a form sends as empty. */
export const open = <T extends z.ZodType>(choice: T) => z.preprocess((given) => given || undefined, choice.optional())

/** A field that must be filled in. */
export const text = z.string().trim().min(1).max(10_000)

/** A checkbox, which a form names only where it is on. */
export const check = z
  .string()
  .optional()
  .transform((value) => value !== undefined)

/** The fields of a form; throws a 422 `Refusal` that names every one that is wrong. */
export function readForm<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  const parsed = schema.safeParse(req.body ?? {})
  if (parsed.success) return parsed.data
  throw validationRefusal(
    parsed.error.issues.map(({ path, message }) => ({
      loc: ['form', ...path.map(String)],
      msg: message,
      type: 'value_error',
    })),
  )
}

/** A query with these parameters, those that are undefined left out. */
export function queryOf(parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const query = new URLSearchParams(given).toString()
  return query === '' ? '' : `?${query}`
}
