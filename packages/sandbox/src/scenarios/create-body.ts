import * as examples from '../documents/request-examples.ts'
import type { CreatedKind } from './schema.ts'

const { ndp_submission: _ndp, ...priorAuthorization } = examples.priorAuthorization

/** A valid request for each kind. Its `mock_result` makes a waiting run deterministic; a push can still choose another end. */
const accepted: Record<CreatedKind, Record<string, unknown>> = {
  prior_authorization: priorAuthorization,
  benefit_verification: examples.benefitVerification,
  clinical_qualification: examples.clinicalQualification,
  pa_status: examples.paStatus,
}

/** Body of a create step: the example with the step's fields, except null ones. `$name` becomes the id of the named resource. */
export function createBody(
  kind: CreatedKind,
  fields: Record<string, unknown> = {},
  ids: ReadonlyMap<string, string>,
): Record<string, unknown> {
  // The endpoint refuses both fields together.
  const apart = 'provider_outreach' in fields ? { mock_result: null } : {}
  const filled = Object.entries({ ...accepted[kind], ...apart, ...fields }).filter(([, value]) => value !== null)
  // An object stays an object.
  return fill(Object.fromEntries(filled), ids) as Record<string, unknown>
}

function fill(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$([a-z][a-z0-9_]*)/g, (text, name) => ids.get(name) ?? text)
  if (Array.isArray(value)) return value.map((one) => fill(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, ids)]))
}
