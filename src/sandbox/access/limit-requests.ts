import type { Request, RequestHandler, Response } from 'express'
import { codedRefusal, type Refusal, withRetryAfter } from '../platform/refusal.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import type { MeasuredRequest } from './limit-policies.ts'
import type { Admission, RateLimits } from './rate-limits.ts'
import type { Operation } from '../platform/operations.ts'
import { operationOf } from './resolve-operation.ts'
import { organizationOf } from './authenticate.ts'

/**
 * Passes on requests within the organization's rate limits, else 429, and sets the limit headers of every later answer (specification, Limits).
 * Runs after the body was read, well-formed or not. Only requests without a valid token or endpoint are not counted.
 */
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

/** For an admitted request that created nothing: it keeps only its endpoint's unit, and the headers say so. */
export function refundUnits(res: Response): void {
  // The compiler cannot see what `limitRate` has left here.
  const admission = res.locals.admission as Admission | undefined
  if (admission === undefined) return
  admission.refund()
  res.set(rateLimitHeaders(admission.readings()))
}

/** Reads the body before it is validated; a malformed one is refused later. */
function measured(operation: Operation, { body }: Request): MeasuredRequest {
  // The compiler knows a parsed body as any.
  const { drugs, preferred_processing_mode: mode } = (body ?? {}) as Record<string, unknown>
  return {
    operation,
    drugs: Array.isArray(drugs) ? drugs.length : 0,
    isRealTime: mode === 'realtime' || mode === 'realtime_only',
  }
}
