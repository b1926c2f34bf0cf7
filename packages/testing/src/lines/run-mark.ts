import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'

/** One run of one handler. */
const RunMark = z.strictObject({
  run: z.number(),
  handler: z.string(),
  resource: z.string(),
  /** Digest of the resource that it got. */
  snapshot: z.string(),
  /** The `once` key that is active. */
  once: z.string().optional(),
})
export type RunMark = z.infer<typeof RunMark>

/** One request of a run. */
const RequestMark = RunMark.extend({
  /** When the handler sent it, in milliseconds since 1970; it may reach the line later. */
  sentAt: z.number(),
})
export type RequestMark = z.infer<typeof RequestMark>

/** Trace of a run, as its process reports it; times in milliseconds since 1970. */
export const Trace = z.discriminatedUnion('what', [
  RunMark.extend({
    what: z.literal('begin'),
    at: z.number(),
    /** Status of the resource. */
    status: z.string(),
    /** Status of the resource that the handler last succeeded with. */
    from: z.string().optional(),
    /** Status, result, detail code, and status and error of the transfer. */
    words: z.array(z.string()),
    /** The patient's cost by the real-time benefits check. */
    cost: z.string().optional(),
    /** The last day of the approval. */
    lastDay: z.string().optional(),
    /** Whether the thread waits for an answer: `open` or `resolved`; absent without messages. */
    thread: z.string().optional(),
    /** Fields that changed since then; absent on the first run. */
    changed: z.array(z.string()).optional(),
    /** The fields that the handler's `reads` names. */
    reads: z.array(z.string()).optional(),
    /** Names of fields with a value, flags, codes, and the number of messages, files and activities. */
    has: z.array(z.string()),
  }),
  z.strictObject({
    what: z.literal('end'),
    at: z.number(),
    run: z.number(),
    isDone: z.boolean(),
    /** The name and code of the error, and the line of the integration that threw it. */
    error: z.string().optional(),
    threwAt: z.string().optional(),
  }),
  /** A request by `node:http`, which bypasses the lines. */
  z.strictObject({ what: z.literal('unrecorded'), run: z.number(), host: z.string() }),
  /** A receipt of a connector. */
  z.strictObject({ what: z.literal('wrote'), run: z.number(), system: z.string(), type: z.string(), id: z.string() }),
  z.strictObject({
    what: z.literal('call'),
    run: z.number(),
    system: z.string(),
    method: z.string(),
    args: z.array(z.unknown()),
    once: z.string().optional(),
    startedAt: z.number(),
    endedAt: z.number(),
    isDone: z.boolean(),
  }),
])
export type Trace = z.infer<typeof Trace>

/** The header with a request's mark; the line removes it. */
export const runHeader = 'x-conformance-run'

export function showMark(mark: RequestMark): string {
  return encodeURIComponent(JSON.stringify(mark))
}

export function readMark(headers: IncomingHttpHeaders): RequestMark | undefined {
  const shown = headers[runHeader]
  return typeof shown === 'string' ? RequestMark.parse(JSON.parse(decodeURIComponent(shown))) : undefined
}
