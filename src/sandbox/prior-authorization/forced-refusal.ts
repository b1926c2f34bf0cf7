import { type ErrorCode, namingAnother, refuse } from '../platform/documented-errors.ts'
import type { Refusal } from '../platform/refusal.ts'
import type { Store } from '../platform/store.ts'

/** The answer of an error that was asked for. Where it has to name a PA, it is the organization's newest, or one that nobody has. */
export function refuseAsAsked(
  code: ErrorCode,
  { store, organization }: { store: Store; organization: string },
): Refusal {
  if (!namingAnother.has(code)) return refuse(code)
  const newest = store.list('prior_authorization').findLast((record) => record.organization === organization)
  return refuse(code, { existing_prior_auth_request_id: newest?.id ?? `pa_req_${'0'.repeat(20)}` })
}
