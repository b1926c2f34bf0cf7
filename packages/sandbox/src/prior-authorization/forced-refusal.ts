import { codesNamingAnother, type ErrorCode } from 'pawl-client/schemas/documented-errors'
import { refuse, type Refusal, withRetryAfter } from '../platform/refusal.ts'

/** Invented: no limit was reached. */
const forcedRetryAfterSeconds = 60

/** The refusal requested by a control or a test value. The PA that it may name is `newest`, or a nonexistent one. */
export function forcedRefusal(code: ErrorCode, newest: { id: string } | undefined): Refusal {
  const refusal = refuse(code)
  if (refusal.httpStatus === 429) return withRetryAfter(refusal, forcedRetryAfterSeconds)
  if (!codesNamingAnother.has(code)) return refusal
  return refuse(code, { existing_prior_auth_request_id: newest?.id ?? `pa_req_${'0'.repeat(20)}` })
}
