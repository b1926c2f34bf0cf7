import type { Request } from 'express'
import { z } from 'zod'
import { validationRefusal } from '../platform/refusal.ts'

/** An optional field. */
export const optionalText = z
  .string()
  .trim()
  .max(10_000)
  .transform((text) => (text === '' ? undefined : text))
  .optional()

/** An optional choice, sent empty if not made. */
export const open = <T extends z.ZodType>(choice: T) => z.preprocess((given) => given || undefined, choice.optional())

/** A required field. */
export const text = z.string().trim().min(1).max(10_000)

/** A checkbox; a form omits it when off. */
export const check = z
  .string()
  .optional()
  .transform((value) => value !== undefined)

/** Parses a form; throws a 422 `Refusal` that names every invalid field. */
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
