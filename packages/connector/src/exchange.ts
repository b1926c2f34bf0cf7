import type { Clock } from '@pawl/base/clock'
import { startDeadline } from '@pawl/base/net/deadline'
import type { Retry } from '@pawl/base/errors'
import { failureCodeOf, type Fetch, type FetchAnswer, type HeaderReader, isUnreached } from '@pawl/base/net/fetch'
import { BodyRefused } from '@pawl/base/net/read-bounded'
import { inRequestSpan } from '@pawl/base/tracing/request-span'
import { readRetryAfter } from '@pawl/base/net/retry-after'
import type { RunContext } from './system.ts'

export interface ExchangeDeps {
  fetch: Fetch
  clock: Clock
  /** Time limit of one request, in milliseconds. */
  timeoutMs: number
}

/** The part of a run that an exchange uses. */
export type ExchangeRun = Pick<RunContext, 'signal' | 'assertMayAct' | 'remainingMs' | 'beginRequest'>

/** The run of a request that belongs to no resource. */
export function noRun(signal: AbortSignal, timeoutMs: number): ExchangeRun {
  return { signal, assertMayAct() {}, remainingMs: () => timeoutMs, beginRequest: () => ({ answered() {} }) }
}

/** The run of a check, which belongs to no resource and may only read. */
export function checkRun(signal: AbortSignal): ExchangeRun {
  return {
    ...noRun(signal, 0),
    assertMayAct() {
      throw new TypeError('A check changes nothing.')
    },
  }
}

/** One request of a connector. */
export interface ExchangeRequest {
  /** All but GET change something. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names in any case. */
  headers: Record<string, string>
  /** Sent as UTF-8. */
  body?: string
  /** Max bytes of the answer; default 64 MiB. */
  maxBytes?: number
  /** The path without query or resource id. Refusals are judged by method and template; traces show it. */
  template?: string
  /** Judges an answer beyond its status: the verdict on a 2xx that is still a failure, or `answered` for a refusal that answers the question, such as a 404. */
  read?: (status: number, text: string) => Verdict | 'answered' | undefined
}

/** Why a request failed, and whether to retry it. */
export interface Verdict {
  /** Never quotes the other side, whose words may hold patient data. */
  reason: string
  /** When the work is tried again. */
  retry: Retry
  /** The system is away: the breaker opens. */
  isOutage: boolean
  /** A refusal that may concern the whole system, such as a missing scope. */
  mayBeOutage: boolean
  /** False if no connection came about, so that the system has seen nothing of the request: trying again is free. Default true. */
  costsAttempt?: boolean
}

/** A 2xx answer. */
export interface SuccessfulAnswer {
  /** Tells it from a failed one. */
  ok: true
  /** The HTTP status. */
  status: number
  /** Of the answer. */
  headers: HeaderReader
  /** The whole body, in its charset. */
  text: string
}

/** The verdict on a request without a 2xx answer, or on one that `read` calls a failure. */
export interface FailedAnswer extends Verdict {
  /** Tells it from a successful one. */
  ok: false
  /** The HTTP status; absent without an answer. */
  status?: number
  /** Absent without an answer. */
  headers?: HeaderReader
  /** The system's error code, such as `ECONNREFUSED` or `timeout`; set without an answer. */
  code?: string
  /** The kind of request: its method and template. */
  request: string
  /** The whole body, which may hold patient data; empty without an answer. */
  text: string
}

export type Answer = SuccessfulAnswer | FailedAnswer

/**
 * Sends one request and reads its whole answer within `timeoutMs`. Redirects are refused: they would carry patient data to an address outside
 * the settings. A request that changes something is sent only while the run may act, and aborted before another process could claim the
 * resource. Throws only the errors of `assertMayAct` and `beginRequest`.
 */
export async function exchange(
  deps: ExchangeDeps,
  run: ExchangeRun,
  url: string,
  request: ExchangeRequest,
): Promise<Answer> {
  const { method, template } = request
  return inRequestSpan(
    { method, template, url },
    () => sendOnce(deps, run, url, request),
    (answer) => ({ status: answer.status, failure: answer.ok ? undefined : answer.code }),
  )
}

async function sendOnce(
  { fetch, clock, timeoutMs }: ExchangeDeps,
  run: ExchangeRun,
  url: string,
  { template, read, ...init }: ExchangeRequest,
): Promise<Answer> {
  const { method } = init
  const isRead = method === 'GET'
  const request = template === undefined ? method : `${method} ${template}`
  if (!isRead) run.assertMayAct()
  const begun = run.beginRequest(request)
  const withinMs = isRead ? timeoutMs : Math.max(1, Math.min(timeoutMs, Math.floor(run.remainingMs())))
  const deadline = startDeadline(run.signal, withinMs)
  let answer: FetchAnswer
  let text: string
  try {
    answer = await fetch(url, { ...init, redirect: 'manual', signal: deadline.signal })
    text = await answer.text()
  } catch (error) {
    const failure = { ok: false, request, retry: 'backoff', mayBeOutage: false, text: '' } as const
    if (run.signal.aborted) return { ...failure, reason: 'the run was given up', code: 'aborted', isOutage: false }
    if (error instanceof BodyRefused) {
      return { ...failure, reason: `the answer ${error.message}`, code: `body_${error.fault}`, isOutage: false }
    }
    const reason = deadline.isOver() ? `no answer within ${withinMs} ms` : reasonOfFailure(error)
    const code = deadline.isOver() ? 'timeout' : (failureCodeOf(error) ?? 'network')
    return { ...failure, reason, code, isOutage: true, costsAttempt: deadline.isOver() || !isUnreached(error) }
  } finally {
    deadline.end()
  }
  const { status, headers } = answer
  const isSuccess = status >= 200 && status < 300
  const said = read?.(status, text)
  if (said === 'answered' || (isSuccess && said === undefined)) begun.answered()
  if (isSuccess && typeof said !== 'object') return { ok: true, status, headers, text }
  const verdict = typeof said === 'object' ? said : verdictOf(answer, clock)
  return { ok: false, status, headers, request, text, ...verdict }
}

function verdictOf(answer: FetchAnswer, clock: Clock): Verdict {
  const { status } = answer
  const retry = retryOfAnswer(answer, clock)
  const mayBeOutage = retry === 'never' && !aboutContent.has(status)
  return { reason: `HTTP ${status}`, retry, isOutage: isOutage(status), mayBeOutage }
}

/** The verdict on an answer that is not 2xx: server errors, limits and conflicts pass; a refusal stays a refusal. */
export function retryOfAnswer(response: Pick<FetchAnswer, 'status' | 'headers'>, clock: Clock): Retry {
  const { status } = response
  // 401: the credentials have expired. An operator renews them; the work itself is fine.
  const passes = status >= 500 || [401, 408, 409, 412, 429].includes(status)
  if (!passes) return 'never'
  const afterMs = readRetryAfter(response.headers.get('retry-after'), clock.now())
  return afterMs === undefined ? 'backoff' : { afterMs }
}

/** Refusals of this one request's content. Others, such as 403 for a missing scope or a redirect to a login page, may hit every request. */
const aboutContent: ReadonlySet<number> = new Set([400, 413, 422])

/** Whether such an answer concerns the system rather than the request. */
function isOutage(status: number): boolean {
  return status >= 500 || status === 401
}

function reasonOfFailure(error: unknown): string {
  const code = failureCodeOf(error)
  return code === undefined ? 'no connection' : `no connection (${code})`
}
