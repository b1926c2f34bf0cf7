import { codesNamingAnother, type ErrorCode } from '../../service/schemas/errors.ts'
import { refuse } from '../platform/refusal.ts'
import { type Refusal, withRetryAfter } from '../platform/refusal.ts'

/** No limit was reached, so the time is made up. */
const forcedRetryAfterSeconds = 60

/** The answer of an error that a control or a test value requested. An answer that names a PA names `newest`, or a nonexistent one. */
export function forcedRefusal(code: ErrorCode, newest: { id: string } | undefined): Refusal {
  const refusal = refuse(code)
  if (refusal.httpStatus === 429) return withRetryAfter(refusal, forcedRetryAfterSeconds)
  if (!codesNamingAnother.has(code)) return refusal
  return refuse(code, { existing_prior_auth_request_id: newest?.id ?? `pa_req_${'0'.repeat(20)}` })
}
