import type { z } from 'zod'
import { faultsOf } from 'pawl-client/schemas/faults'
import { validationRefusal } from './refusal.ts'

/** Stands for an unread body that was not sent as JSON. */
export const otherContentType = Symbol('a body of another content type')

/** Throws a 422 `Refusal` for a body that is not sent as JSON (specification: requests are `application/json`). */
export function refuseOtherContentType(body: unknown): void {
  if (body !== otherContentType) return
  const fault = { loc: ['header', 'content-type'], msg: 'must be application/json', type: 'value_error' }
  throw validationRefusal([fault])
}

/** Parses a body; throws a 422 `Refusal` that names every fault, with `loc` beginning at `root`. */
export function validate<T extends z.ZodType>(schema: T, input: unknown, root = 'body'): z.infer<T> {
  refuseOtherContentType(input)
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw validationRefusal(faultsOf(parsed.error, input, root))
}
