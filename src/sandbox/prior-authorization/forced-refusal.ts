import { codesNamingAnother, type ErrorCode, refuse } from '../platform/documented-errors.ts'
import type { Refusal } from '../platform/refusal.ts'

/** The answer of an error that a control or a trigger asked for. Where the answer names a PA, it names `newest`, or one that nobody has. */
export function forcedRefusal(code: ErrorCode, newest: { id: string } | undefined): Refusal {
  if (!codesNamingAnother.has(code)) return refuse(code)
  return refuse(code, { existing_prior_auth_request_id: newest?.id ?? `pa_req_${'0'.repeat(20)}` })
}
