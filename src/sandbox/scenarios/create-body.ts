import * as examples from '../documents/request-examples.ts'
import type { CreatedKind } from './schema.ts'

const { mock_result: _mock, ndp_submission: _ndp, ...priorAuthorization } = examples.priorAuthorization
const { mock_result: _result, ...benefitVerification } = examples.benefitVerification

/** By kind: a request that is accepted, whose outcome is open. */
const accepted: Record<CreatedKind, Record<string, unknown>> = {
  prior_authorization: priorAuthorization,
  benefit_verification: benefitVerification,
  clinical_qualification: examples.clinicalQualification,
  pa_status: examples.paStatus,
}

/** The body of a create step: the example with the step's own fields in place of its own, without those that are null; `$name` becomes the id of what is called so. */
export function createBody(
  kind: CreatedKind,
  fields: Record<string, unknown> = {},
  ids: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const filled = Object.entries({ ...accepted[kind], ...fields }).filter(([, value]) => value !== null)
  // Entries stay an object.
  return fill(Object.fromEntries(filled), ids) as Record<string, unknown>
}

function fill(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$([a-z][a-z0-9_]*)/g, (text, name) => ids.get(name) ?? text)
  if (Array.isArray(value)) return value.map((one) => fill(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, ids)]))
}
