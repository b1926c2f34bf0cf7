import type { Response } from 'express'
import { hideCredentials } from './hide-credentials.ts'
import { type LoggedBody, maxBodyBytes } from './request-log.ts'

/** Attaches the bytes of a request's body to its response, for the log. */
export function noteBody(res: Response, body: Buffer): void {
  res.locals.requestBytes = body
}

/** Body of the request, once read. */
export function readBody(res: Response): LoggedBody | undefined {
  // Only `noteBody` sets it.
  const bytes = res.locals.requestBytes as Buffer | undefined
  return bytes === undefined || bytes.length === 0 ? undefined : bodyOf(res, bytes, bytes.length)
}

/** Records the start of the answer as it is written; returns a function that reads it. */
export function captureAnswer(res: Response): () => LoggedBody | undefined {
  const chunks: Buffer[] = []
  let bytes = 0
  const note = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return
    const written = Buffer.from(chunk)
    if (bytes < maxBodyBytes) chunks.push(written.subarray(0, maxBodyBytes - bytes))
    bytes += written.length
  }
  for (const name of ['write', 'end'] as const) {
    // The compiler cannot see that the overloads are passed through.
    const send = res[name].bind(res) as (...given: unknown[]) => never
    res[name] = (...given: unknown[]) => {
      note(given[0])
      return send(...given)
    }
  }
  return () => (bytes === 0 ? undefined : bodyOf(res, Buffer.concat(chunks), bytes))
}

/** Bodies of endpoints hold no credentials; others may. */
function bodyOf(res: Response, content: Buffer, bytes: number): LoggedBody {
  const isEndpoint = res.locals.operation !== undefined
  const text = isEndpoint ? content.subarray(0, maxBodyBytes).toString() : hideCredentials(content.toString())
  return { text: text?.slice(0, maxBodyBytes) ?? '', bytes, isWhole: text !== undefined && bytes <= maxBodyBytes }
}
