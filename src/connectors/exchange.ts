import type { Clock } from '../clock.ts'
import type { Retry } from '../errors.ts'
import { failureCodeOf, type Fetch, type FetchAnswer } from '../fetch.ts'
import { readRetryAfter } from '../retry-after.ts'

/** What a connector needs in order to talk HTTP. */
export interface ExchangeDeps {
  fetch: Fetch
  clock: Clock
  timeoutMs: number
  signal?: AbortSignal
}

/** A 2xx answer, or why there is none together with the verdict. `reason` never quotes what the other side said, since that may hold patient data. */
export type Answer =
  | { ok: true; status: number; text: string }
  | { ok: false; reason: string; retry: Retry; isOutage: boolean; mayBeOutage: boolean; text: string }

export interface ExchangeRequest {
  method: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body?: string
}

/** Sends one request and reads its whole answer within `timeoutMs`; resolves whatever happens. Redirects are refused: they would carry patient data to an address that nobody configured. */
export async function exchange(deps: ExchangeDeps, url: string, request: ExchangeRequest): Promise<Answer> {
  const timeout = AbortSignal.timeout(deps.timeoutMs)
  const signal = deps.signal === undefined ? timeout : AbortSignal.any([timeout, deps.signal])
  try {
    const response = await deps.fetch(url, { ...request, redirect: 'manual', signal })
    const text = await response.text()
    const { status } = response
    if (status >= 200 && status < 300) return { ok: true, status, text }
    const retry = retryOfAnswer(response, deps.clock)
    const mayBeOutage = retry === 'never' && !aboutContent.has(status)
    return { ok: false, reason: `HTTP ${status}`, retry, isOutage: isOutage(status), mayBeOutage, text }
  } catch (error) {
    const reason = reasonOfFailure(error, timeout, deps)
    const isStopped = deps.signal?.aborted === true
    return { ok: false, reason, retry: 'backoff', isOutage: !isStopped, mayBeOutage: false, text: '' }
  }
}

/** The verdict on an answer that is not 2xx: the other side's faults, limits and conflicts pass; what it refuses, it will refuse again. */
export function retryOfAnswer(response: Pick<FetchAnswer, 'status' | 'headers'>, clock: Clock): Retry {
  const { status } = response
  // 401: the credentials have expired, which an operator mends; nothing is wrong with the work.
  const passes = status >= 500 || [401, 408, 409, 412, 429].includes(status)
  if (!passes) return 'never'
  const afterMs = readRetryAfter(response.headers.get('retry-after'), clock.now())
  return afterMs === undefined ? 'backoff' : { afterMs }
}

/** Refusals of what was sent. Others, such as 403 for a missing scope or a redirect to a login page, may be of whatever is sent. */
const aboutContent: ReadonlySet<number> = new Set([400, 413, 422])

/** Whether such an answer is about the system rather than about what it was sent. */
function isOutage(status: number): boolean {
  return status >= 500 || status === 401
}

function reasonOfFailure(error: unknown, timeout: AbortSignal, deps: ExchangeDeps): string {
  if (deps.signal?.aborted === true) return 'the connector was stopped'
  if (timeout.aborted) return `no answer within ${deps.timeoutMs} ms`
  const code = failureCodeOf(error)
  return code === undefined ? 'no connection' : `no connection (${code})`
}
