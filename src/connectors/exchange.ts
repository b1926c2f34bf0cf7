import type { Clock } from '../base/clock.ts'
import type { Retry } from '../base/errors.ts'
import { failureCodeOf, type Fetch, type FetchAnswer, type HeaderReader } from '../base/net/fetch.ts'
import { inRequestSpan } from '../base/tracing/request-span.ts'
import { readRetryAfter } from '../base/net/retry-after.ts'
import type { RunContext } from '../systems/system.ts'

/** What a connector needs in order to talk HTTP. */
export interface ExchangeDeps {
  fetch: Fetch
  clock: Clock
  /** Milliseconds that one request may take. */
  timeoutMs: number
}

/** What an exchange asks of the run that it is part of. */
export type ExchangeRun = Pick<RunContext, 'signal' | 'assertMayAct' | 'remainingMs' | 'beginRequest'>

/** The run of what belongs to no resource. */
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

export interface ExchangeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  body?: string
  /** Its path without what names one resource, and without its query: what is refused is judged by method and template, and traces name it. */
  template?: string
  /** What an answer says beyond its status: why a 2xx is a failure all the same, or `answered` for a refusal that answers what was asked, such as a 404 for "there is none". */
  read?: (status: number, text: string) => Verdict | 'answered' | undefined
}

/** Why a request failed, and what is to become of it. `reason` never quotes what the other side said. */
export interface Verdict {
  reason: string
  retry: Retry
  isOutage: boolean
  /** A refusal that may be the fault of the whole system, such as a scope that is missing. */
  mayBeOutage: boolean
}

/** A 2xx answer, or why there is none together with the verdict. `reason` never quotes what the other side said, since that may hold patient data; `status` and `headers` are absent where nothing was answered. */
export type Answer =
  | { ok: true; status: number; headers: HeaderReader; text: string }
  | (Verdict & {
      ok: false
      status?: number
      headers?: HeaderReader
      /** Why nothing was answered, as the system calls it. */
      code?: string
      /** Of which kind the request was: its method and template. */
      request: string
      text: string
    })

/**
 * Sends one request and reads its whole answer within `timeoutMs`. Redirects are refused: they would carry patient data to an address that
 * nobody configured. A request that changes something is sent only while the run may act, and given up before anybody else could be at work on
 * the resource; throws what `assertMayAct` and `beginRequest` throw, and nothing else.
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
  const timeout = AbortSignal.timeout(withinMs)
  const signal = AbortSignal.any([timeout, run.signal])
  let answer: FetchAnswer
  let text: string
  try {
    answer = await fetch(url, { ...init, redirect: 'manual', signal })
    text = await answer.text()
  } catch (error) {
    const failure = { ok: false, request, retry: 'backoff', mayBeOutage: false, text: '' } as const
    if (run.signal.aborted) return { ...failure, reason: 'the run was given up', code: 'aborted', isOutage: false }
    const reason = timeout.aborted ? `no answer within ${withinMs} ms` : reasonOfFailure(error)
    const code = timeout.aborted ? 'timeout' : (failureCodeOf(error) ?? 'network')
    return { ...failure, reason, code, isOutage: true }
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

function reasonOfFailure(error: unknown): string {
  const code = failureCodeOf(error)
  return code === undefined ? 'no connection' : `no connection (${code})`
}
