import { z } from 'zod'
import { unreadableSuccess } from './answer.ts'
import type { Caller } from './caller.ts'
import { ApiAnswerMismatched } from './errors.ts'
import type { Call } from './request.ts'

const Enveloped = z.looseObject({ data: z.unknown() })
const Identified = z.looseObject({ id: z.string() })

/** Carries out a call and returns `data` of its answer as it came, once `schema` can read it. Throws as Caller does, ApiAnswerUnreadable, and ApiAnswerMismatched. */
export async function readRaw(call: Caller, what: Call, schema: z.ZodType): Promise<unknown> {
  const data = dataOf(await call(what))
  parse(what, data, schema)
  return data
}

/** Carries out a call and returns `data` of its answer as `schema` reads it. Throws as Caller does, ApiAnswerUnreadable, and ApiAnswerMismatched. */
export async function readData<T extends z.ZodType>(call: Caller, what: Call, schema: T): Promise<z.infer<T>> {
  return parse(what, dataOf(await call(what)), schema)
}

function parse<T extends z.ZodType>(what: Call, data: unknown, schema: T): z.infer<T> {
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw unreadableSuccess(what, what, 'unexpected_shape')
  const answeredId = Identified.safeParse(data).data?.id
  if (what.method === 'GET' && what.id !== undefined && answeredId !== undefined && answeredId !== what.id)
    throw new ApiAnswerMismatched(what, what.id)
  return parsed.data
}

/** Some answers that the supplement describes come without the `{status, data}` around them. */
function dataOf(body: unknown): unknown {
  const enveloped = Enveloped.safeParse(body)
  return enveloped.success && enveloped.data.data !== undefined ? enveloped.data.data : body
}
