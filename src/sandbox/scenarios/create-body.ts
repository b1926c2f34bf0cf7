import * as examples from '../documents/request-examples.ts'
import type { CreatedKind } from './schema.ts'

const { ndp_submission: _ndp, ...priorAuthorization } = examples.priorAuthorization

/** By kind: a request that is accepted. Its `mock_result` keeps chance out of a run that waits: a push can still choose any other end. */
const accepted: Record<CreatedKind, Record<string, unknown>> = {
  prior_authorization: priorAuthorization,
  benefit_verification: examples.benefitVerification,
  clinical_qualification: examples.clinicalQualification,
  pa_status: examples.paStatus,
}

/** The body of a create step: the example with the step's own fields in place of its own, without those that are null; `$name` becomes the id of what is called so. */
export function createBody(
  kind: CreatedKind,
  fields: Record<string, unknown> = {},
  ids: ReadonlyMap<string, string>,
): Record<string, unknown> {
  // The endpoint refuses the two together.
  const apart = 'provider_outreach' in fields ? { mock_result: null } : {}
  const filled = Object.entries({ ...accepted[kind], ...apart, ...fields }).filter(([, value]) => value !== null)
  // Entries stay an object.
  return fill(Object.fromEntries(filled), ids) as Record<string, unknown>
}

function fill(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$([a-z][a-z0-9_]*)/g, (text, name) => ids.get(name) ?? text)
  if (Array.isArray(value)) return value.map((one) => fill(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, ids)]))
}
