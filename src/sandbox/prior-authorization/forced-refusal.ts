import { codesNamingAnother, type ErrorCode, refuse } from '../platform/documented-errors.ts'
import type { Refusal } from '../platform/refusal.ts'

/** The answer of an error that a control or a trigger requested. An answer that names a PA names `newest`, or a nonexistent one. */
export function forcedRefusal(code: ErrorCode, newest: { id: string } | undefined): Refusal {
  if (!codesNamingAnother.has(code)) return refuse(code)
  return refuse(code, { existing_prior_auth_request_id: newest?.id ?? `pa_req_${'0'.repeat(20)}` })
}
