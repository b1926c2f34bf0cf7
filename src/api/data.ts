import { z } from 'zod'
import { unreadableSuccess } from './answer.ts'
import type { Caller } from './caller.ts'
import type { Call } from './request.ts'

const Enveloped = z.looseObject({ data: z.unknown() })

/** Carries out a call and returns `data` of its answer as it came, once `schema` can read it. Throws as Caller does, and ApiAnswerUnreadable. */
export async function readRaw(call: Caller, what: Call, schema: z.ZodType): Promise<unknown> {
  const data = dataOf(await call(what))
  if (!schema.safeParse(data).success) throw unreadableSuccess(what, what, 'unexpected_shape')
  return data
}

/** Carries out a call and returns `data` of its answer as `schema` reads it. Throws as Caller does, and ApiAnswerUnreadable. */
export async function readData<T extends z.ZodType>(call: Caller, what: Call, schema: T): Promise<z.infer<T>> {
  const parsed = schema.safeParse(dataOf(await call(what)))
  if (!parsed.success) throw unreadableSuccess(what, what, 'unexpected_shape')
  return parsed.data
}

/** Some answers that the supplement describes come without the `{status, data}` around them. */
function dataOf(body: unknown): unknown {
  const enveloped = Enveloped.safeParse(body)
  return enveloped.success && enveloped.data.data !== undefined ? enveloped.data.data : body
}
