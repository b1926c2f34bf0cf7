import { isUtf8 } from 'node:buffer'
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { charsetOf } from '../charset-of.ts'
import { systemCodeOf } from '../errors.ts'
import { readBodyBytes } from './read-body-bytes.ts'
import { maxAnswerBytes, maxShortAnswerBytes } from './read-bounded.ts'

/** The part of `fetch` that pawl uses; the platform's `fetch` fits. */
export type Fetch = (address: string, init: FetchInit) => Promise<FetchAnswer>

export interface FetchInit {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  body?: string | null
  /** Redirects are never followed. */
  redirect: 'manual'
  signal: AbortSignal
  /** Max bytes of the answer's body; default 64 MiB. */
  maxBytes?: number
}

/** The headers of an answer, by lower-case name. */
export type HeaderReader = Pick<Headers, 'get'>

export interface FetchAnswer {
  status: number
  headers: HeaderReader
  /** The whole body, decoded by its Content-Encoding and charset. Rejects if it is cut short, and with `BodyRefused`. */
  text(): Promise<string>
}

/** Like `fetch` at half its cost: no web streams, no copies of headers (docs/performance.md). Rejects with the system's error itself, unwrapped. */
export const leanFetch: Fetch = (address, init) => send(address, init)

/** Like `leanFetch`, over its own connections, always to the address that `lookup` returns (see pin-address.ts). */
export function fetchAt(lookup: LookupFunction): Fetch {
  let dispatcher: Dispatcher | undefined
  return async (address, init) => {
    const { Agent } = await loadUndici()
    // No connection stays open: the next request may be to another address.
    dispatcher ??= new Agent({ connect: { lookup }, pipelining: 0 })
    return send(address, init, dispatcher)
  }
}

// A bundler keeps only the default export of CommonJS.
const importUndici = () => import('undici').then((loaded) => loaded.default)
let undici: ReturnType<typeof importUndici> | undefined

/** Loads undici with the first request, since it takes half as long to load as the rest of the client. */
function loadUndici() {
  return (undici ??= importUndici())
}

async function send(
  address: string,
  { method, headers, body = null, signal, maxBytes = maxAnswerBytes }: FetchInit,
  dispatcher?: Dispatcher,
): Promise<FetchAnswer> {
  const { request } = await loadUndici()
  const answer = await request(address, { method, headers, body, signal, ...(dispatcher && { dispatcher }) })
  const get = (name: string) => {
    const value = answer.headers[name]
    return Array.isArray(value) ? value.join(', ') : (value ?? null)
  }
  const coding = get('content-encoding')
  // HTTP's framing bounds a body by its Content-Length, and undici's own reader costs less than a loop over chunks.
  const isShort = coding === null && Number(get('content-length') ?? NaN) <= Math.min(maxBytes, maxShortAnswerBytes)
  const read = async () =>
    isShort ? Buffer.from(await answer.body.arrayBuffer()) : await readBodyBytes(answer.body, coding, maxBytes)
  return { status: answer.statusCode, headers: { get }, text: async () => textOf(await read(), get('content-type')) }
}

const utf8 = new TextDecoder()

/** JSON is UTF-8 (RFC 8259, 8.1), even if a server labels it ISO-8859-1 by default. */
function textOf(body: Buffer, contentType: string | null): string {
  const isJson = contentType?.includes('json') === true && isUtf8(body)
  const charset = isJson ? undefined : charsetOf(body, contentType)
  return charset === undefined ? utf8.decode(body) : new TextDecoder(charset).decode(body)
}

/** Failures to connect, before any request is sent. */
const beforeSending: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether no connection came about, so that the other side has seen nothing of the request. */
export function isUnreached(error: unknown): boolean {
  return beforeSending.has(failureCodeOf(error) ?? '')
}

/** The system code of a failed request; the platform's `fetch` hides it in the cause of its own error. */
export function failureCodeOf(error: unknown): string | undefined {
  return systemCodeOf(error) ?? (error instanceof Error ? systemCodeOf(error.cause) : undefined)
}
