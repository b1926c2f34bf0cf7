import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Fetch, HeaderReader } from '../fetch.ts'
import { readRetryAfter } from '../retry-after.ts'
import { readAnswer } from './answer.ts'
import { ApiAnswerUnreadable, type ApiError, ApiUnavailable, ApiUnreachable, RateLimited } from './errors.ts'
import { type Exchange, exchange } from './exchange.ts'
import { ResourceBusy } from './refusals.ts'
import type { Admission, RateBudget } from './rate-budget.ts'
import type { Call, Method } from './request.ts'

/** One attempt as metrics see it: no ids. `status` is `none` where no answer came. */
export interface RequestReport {
  method: Method
  route: string
  status: number | 'none'
  durationMs: number
}

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export interface CallerDeps {
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

/** Carries out one call and resolves with the parsed body of its success; undefined for 204. Throws ApiError, or the reason of an aborted signal. */
export type Caller = (call: Call) => Promise<unknown>

/** Makes a caller that tries again only what is safe: GETs, 429 everywhere, `resource_busy` where the call says so, and what never left. */
export function createCaller(deps: CallerDeps): Caller {
  const { clock, random, sleep, budget } = deps

  async function attempt(call: Call, admission: Admission) {
    const startedAt = clock.now()
    let headers: HeaderReader | undefined
    try {
      const exchanged = await exchange(call, deps)
      if (exchanged.kind !== 'failed') headers = exchanged.headers
      return answerOf(call, exchanged, startedAt)
    } finally {
      await admission.settle(headers)
    }
  }

  function answerOf(call: Call, exchanged: Exchange, startedAt: number) {
    const status = exchanged.kind === 'failed' ? 'none' : exchanged.status
    const { method, route } = call
    deps.onRequest({ method, route, status, durationMs: clock.now() - startedAt })
    const toldMs =
      exchanged.kind === 'failed' ? undefined : readRetryAfter(exchanged.headers.get('retry-after'), clock.now())
    return readAnswer(call, exchanged, (fallbackMs) => ({ afterMs: withJitter(toldMs ?? fallbackMs, random) }))
  }

  return async (call) => {
    const signal = call.options?.signal
    let waitedMs = 0
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted()
      const admission = await budget.admit(call, deps.maxWaitMs - waitedMs)
      waitedMs += admission.waitedMs
      const answer = await attempt(call, admission)
      if (answer.ok) return answer.body
      if (answer.error instanceof ApiUnreachable) signal?.throwIfAborted()
      const waitMs = waitBeforeNext(answer.error, tries, random)
      const isWorthIt = isSafeToRepeat(call, answer.error) && tries < deps.maxAttempts
      if (!isWorthIt || waitedMs + waitMs > deps.maxWaitMs) throw answer.error
      waitedMs += waitMs
      await sleep(waitMs, signal)
    }
  }
}

function isSafeToRepeat(call: Call, error: ApiError): boolean {
  if (error instanceof RateLimited || error instanceof ApiUnreachable) return true
  if (error instanceof ResourceBusy) return call.retryBusy === true || call.method === 'GET'
  if (error instanceof ApiAnswerUnreadable) return call.method === 'GET' && error.reason === 'cut'
  return error instanceof ApiUnavailable && call.method === 'GET'
}

function waitBeforeNext(error: ApiError, tries: number, random: () => number): number {
  return typeof error.retry === 'object' ? error.retry.afterMs : random() * 250 * 2 ** tries
}

/** At least `ms`, and up to a tenth and half a second more, so that concurrent callers do not come back together. */
function withJitter(ms: number, random: () => number): number {
  return Math.ceil(ms + random() * (500 + ms / 10))
}

/** Waits `ms` milliseconds; rejects with the signal's reason once it aborts. */
export async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
