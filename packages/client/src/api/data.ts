import type { z } from 'zod'
import { ApiAnswerMismatched } from './api-errors.ts'
import { unreadableSuccess } from './read-reply.ts'
import type { ApiRequest } from './request.ts'
import type { Send } from './send.ts'

/** Sends a request and returns `data` of the answer unchanged, after checking that it can be read. Throws the errors of Send, ApiAnswerUnreadable, and ApiAnswerMismatched. */
export async function readRaw(
  send: Send,
  request: ApiRequest,
  read: (data: unknown) => z.ZodSafeParseResult<unknown>,
): Promise<unknown> {
  const data = dataOf(await send(request))
  assertAnswers(request, data, read(data))
  return data
}

/** Sends a request and returns `data` of the answer as parsed by `schema`. Throws the errors of Send, ApiAnswerUnreadable, and ApiAnswerMismatched. */
export async function readData<T extends z.ZodType>(send: Send, request: ApiRequest, schema: T): Promise<z.infer<T>> {
  const data = dataOf(await send(request))
  return assertAnswers(request, data, schema.safeParse(data))
}

function assertAnswers<T>(request: ApiRequest, data: unknown, parsed: z.ZodSafeParseResult<T>): T {
  if (!parsed.success) throw unreadableSuccess(request, request, 'unexpected_shape')
  const answeredId = field(data, 'id')
  if (
    request.method === 'GET' &&
    request.id !== undefined &&
    typeof answeredId === 'string' &&
    answeredId !== request.id
  )
    throw new ApiAnswerMismatched(request, request.id)
  return parsed.data
}

/** Some answers in the supplement come without the `{status, data}` envelope. */
function dataOf(body: unknown): unknown {
  const data = field(body, 'data')
  return data === undefined ? body : data
}

function field(value: unknown, name: 'data' | 'id'): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined
}
