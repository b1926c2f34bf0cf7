import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '@pawl/base/clock'
import type { Fetch } from '@pawl/base/net/fetch'
import { readRetryAfter } from '@pawl/base/net/retry-after'
import { inRequestSpan } from '@pawl/base/tracing/request-span'
import {
  ApiAnswerUnreadable,
  type ApiError,
  ApiUnavailable,
  ApiUnreachable,
  RateLimited,
  requestOf,
} from './api-errors.ts'
import type { Admission, RateAnswer, RateBudget } from './rate-budget.ts'
import { readClockAhead } from '@pawl/base/net/clock-ahead'
import { type PolicyReading, readRateLimits } from './read-rate-limits.ts'
import { readReply } from './read-reply.ts'
import { ApiRefused, ResourceBusy } from './refusals.ts'
import type { ApiRequest, Method } from './request.ts'
import { type Reply, sendOnce } from './send-once.ts'

/** One attempt for metrics, without ids. `status` is `none` without an answer. */
export interface RequestReport {
  method: Method
  route: string
  status: number | 'none'
  durationMs: number
  /** The rate limits in the answer. */
  limits: readonly PolicyReading[]
  /** Milliseconds by which the local clock is ahead of the service's, negative if behind; absent without a `Date` in the answer. */
  clockAheadMs?: number | undefined
  /** An undocumented `error.code` of a refusal, with the resource that it is about. */
  undocumented?: { code: string; resourceId: string | undefined } | undefined
}

/** Waits `ms` milliseconds; rejects with the signal's reason once it aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export interface SendDeps {
  baseUrl: string
  token: string
  fetch: Fetch
  clock: Clock
  random: () => number
  sleep: Sleep
  budget: RateBudget
  timeoutMs: number
  maxAttempts: number
  maxWaitMs: number
  onRequest: (report: RequestReport) => void
}

/** Sends a request and resolves with the parsed body of its success; undefined for 204. Throws ApiError, the reason of an aborted signal, and the errors of the request's run. */
export type Send = (request: ApiRequest) => Promise<unknown>

/** Makes a Send that retries only if safe: GETs, any 429, `resource_busy` if the request allows it, and unsent requests. */
export function createSend(deps: SendDeps): Send {
  const { clock, random, sleep, budget } = deps

  async function attempt(request: ApiRequest, admission: Admission) {
    const startedAt = clock.now()
    let answer: RateAnswer | undefined
    try {
      const { method, route: template } = request
      const traced = { method, template, url: request.baseUrl ?? deps.baseUrl }
      const reply = await inRequestSpan(traced, () => sendOnce(request, deps), outcomeOf)
      const result = resultOf(request, reply, startedAt)
      if (reply.kind !== 'failed') {
        const isOverLimit = !result.ok && result.error instanceof RateLimited
        answer = { headers: reply.headers, isOverLimit }
      }
      return result
    } finally {
      await admission.settle(answer)
    }
  }

  function resultOf(request: ApiRequest, reply: Reply, startedAt: number) {
    const status = reply.kind === 'failed' ? 'none' : reply.status
    const { method, route } = request
    const limits = reply.kind === 'failed' ? [] : readRateLimits(reply.headers)
    const retryAfterMs =
      reply.kind === 'failed' ? undefined : readRetryAfter(reply.headers.get('retry-after'), clock.now())
    const result = readReply(request, reply, (fallbackMs) => ({
      afterMs: withJitter(retryAfterMs ?? fallbackMs, random),
    }))
    const code = !result.ok && result.error instanceof ApiRefused ? result.error.undocumentedCode() : undefined
    const undocumented = code === undefined ? undefined : { code, resourceId: request.id }
    const now = clock.now()
    const clockAheadMs = reply.kind === 'failed' ? undefined : readClockAhead(reply.headers, startedAt, now)
    deps.onRequest({ method, route, status, durationMs: now - startedAt, limits, clockAheadMs, undocumented })
    return result
  }

  return async (request) => {
    const signal = request.options?.signal
    let waitedMs = 0
    for (let attempts = 1; ; attempts++) {
      signal?.throwIfAborted()
      const admission = await budget.admit(request, deps.maxWaitMs - waitedMs)
      waitedMs += admission.waitedMs
      const begun = await begin(request, admission)
      const result = await attempt(request, admission)
      if (result.ok) {
        begun?.answered()
        return result.body
      }
      if (result.error instanceof ApiUnreachable) signal?.throwIfAborted()
      const waitMs = waitBeforeNext(result.error, attempts, random)
      const mayRetry = isSafeToRetry(request, result.error) && attempts < deps.maxAttempts
      if (!mayRetry || waitedMs + waitMs > deps.maxWaitMs) throw result.error
      waitedMs += waitMs
      await sleep(waitMs, signal)
    }
  }
}

/** Attributes of the span. */
function outcomeOf(reply: Reply): { status?: number; failure?: string } {
  if (reply.kind === 'failed') return { failure: reply.reason }
  return { status: reply.status, ...(reply.kind === 'cut' && { failure: 'cut' }) }
}

/** Checks with the run again: it may have lost the right to act during a wait for room. */
async function begin({ method, route, run }: ApiRequest, admission: Admission) {
  try {
    if (method !== 'GET') run?.assertMayAct()
    return run?.beginRequest(requestOf({ method, route }))
  } catch (error) {
    await admission.cancel()
    throw error
  }
}

function isSafeToRetry(request: ApiRequest, error: ApiError): boolean {
  if (error instanceof RateLimited || error instanceof ApiUnreachable) return true
  if (error instanceof ResourceBusy) return request.retryBusy === true || request.method === 'GET'
  if (error instanceof ApiAnswerUnreadable) return request.method === 'GET' && error.reason === 'cut'
  return error instanceof ApiUnavailable && request.method === 'GET'
}

function waitBeforeNext(error: ApiError, attempts: number, random: () => number): number {
  return typeof error.retry === 'object' ? error.retry.afterMs : random() * 250 * 2 ** attempts
}

/** `ms` plus up to a tenth and half a second, so that concurrent callers do not all return at once. */
function withJitter(ms: number, random: () => number): number {
  return Math.ceil(ms + random() * (500 + ms / 10))
}

export const sleepFor: Sleep = async (ms, signal) => {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
