import type { Request, RequestHandler, Response } from 'express'
import { codedRefusal } from '../platform/refusal.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import type { MeasuredRequest } from './limit-policies.ts'
import type { Admission, RateLimits } from './rate-limits.ts'
import { type Operation, operationOf } from '../platform/operations.ts'
import { organizationOf } from './authenticate.ts'

/**
 * Lets through what fits the organization's rate limits, else 429; tells of them on every answer (specification, Limits).
 * Paths that do not exist are not counted, nor is what is refused before this point: no token, a body that is no JSON.
 */
export function limitRate({ limits }: { limits: RateLimits }): RequestHandler {
  return (req, res, next) => {
    const operation = operationOf(req.method, req.path)
    if (operation === undefined) {
      next()
      return
    }
    const admission = limits.admit(organizationOf(res), measured(operation, req))
    res.set(rateLimitHeaders(admission.readings()))
    if (admission.retryAfterSeconds !== undefined) {
      res.set('Retry-After', String(admission.retryAfterSeconds))
      throw rateLimitExceeded()
    }
    res.locals.admission = admission
    next()
  }
}

/** 429 in the documented shape. */
export function rateLimitExceeded() {
  return codedRefusal(429, {
    title: 'Rate limit exceeded',
    description: 'A rate limit of the organization is used up; wait at least Retry-After seconds.',
    code: 'rate_limit_exceeded',
  })
}

/** For a request that is refused after it was let through: it has created nothing, so it uses up nothing but its endpoint's allowance. */
export function refundUnits(res: Response): void {
  // The compiler cannot see what `limitRate` has left here.
  const admission = res.locals.admission as Admission | undefined
  if (admission === undefined) return
  admission.refund()
  res.set(rateLimitHeaders(admission.readings()))
}

/** Counted before the body is validated: what is no list of drugs is refused soon after. */
function measured(operation: Operation, { body }: Request): MeasuredRequest {
  // The compiler knows a parsed body as any.
  const { drugs, preferred_processing_mode: mode } = (body ?? {}) as Record<string, unknown>
  return {
    operation,
    drugs: Array.isArray(drugs) ? drugs.length : 0,
    isRealTime: mode === 'realtime' || mode === 'realtime_only',
  }
}
