import type { Request, RequestHandler, Response } from 'express'
import { codedRefusal, type Refusal, withRetryAfter } from '../platform/refusal.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import type { MeasuredRequest } from './limit-policies.ts'
import type { Admission, RateLimits } from './rate-limits.ts'
import type { Operation } from '../platform/operations.ts'
import { operationOf } from './resolve-operation.ts'
import { organizationOf } from './authenticate-token.ts'

/** Answers 429 beyond the organization's rate limits, and sets the limit headers of every later answer (specification, Limits). Runs after the body was read, well-formed or not. Counts every request with a valid token and endpoint. */
export function limitRate({ limits }: { limits: RateLimits }): RequestHandler {
  return (req, res, next) => {
    const admission = limits.admit(organizationOf(res), measured(operationOf(res), req))
    res.set(rateLimitHeaders(admission.readings()))
    if (admission.retryAfterSeconds !== undefined) throw rateLimitExceeded(admission.retryAfterSeconds)
    res.locals.admission = admission
    next()
  }
}

/** 429 in the documented shape. */
export function rateLimitExceeded(retryAfterSeconds: number): Refusal {
  const refusal = codedRefusal(429, {
    title: 'Rate limit exceeded',
    description: 'A rate limit of the organization is used up; wait at least Retry-After seconds.',
    code: 'rate_limit_exceeded',
  })
  return withRetryAfter(refusal, retryAfterSeconds)
}

/** Refunds everything except the endpoint's unit to an admitted request that created nothing, and updates the headers. */
export function refundUnits(res: Response): void {
  // The compiler cannot see that `limitRate` sets it.
  const admission = res.locals.admission as Admission | undefined
  if (admission === undefined) return
  admission.refund()
  res.set(rateLimitHeaders(admission.readings()))
}

/** Measures the body before validation, which may still refuse it. */
function measured(operation: Operation, { body }: Request): MeasuredRequest {
  // A parsed body is typed any.
  const { drugs, preferred_processing_mode: mode } = (body ?? {}) as Record<string, unknown>
  return {
    operation,
    drugs: Array.isArray(drugs) ? drugs.length : 0,
    isRealTime: mode === 'realtime' || mode === 'realtime_only',
  }
}
