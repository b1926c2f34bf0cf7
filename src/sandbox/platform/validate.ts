import type { z } from 'zod'
import { faultsOf } from '../../resources/requests/faults.ts'
import { validationRefusal } from './refusal.ts'

/** The request's body as the schema's type; throws a 422 `Refusal` that names every fault, with `loc` beginning at `root`. */
export function validate<T extends z.ZodType>(schema: T, input: unknown, root = 'body'): z.infer<T> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw validationRefusal(faultsOf(parsed.error, input, root))
}
