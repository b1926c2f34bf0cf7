import type { CodeableConcept, Period } from 'fhir/r4.js'
import { type Outcome } from 'pawl-client/schemas/outcome'
import { isConcluded, type PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { text, toDateTime } from '../../primitives.ts'

/** The outcome of a PA that ended. Undefined while it runs, when the outcome is a placeholder or still being checked, and for a leftover placeholder (supplement, Statuses). */
export function settledOutcome({ status, outcome }: PriorAuthorization): Outcome | undefined {
  return isConcluded(status) && outcome?.result !== 'Pending' ? outcome : undefined
}

/** The validity of an authorization. FHIR refuses a period that ends before it starts (per-1): then only its end, which the pharmacy needs. */
export function authorizationPeriod(outcome: Outcome | undefined): Period | undefined {
  const start = toDateTime(outcome?.authorization_start_date)
  const end = toDateTime(outcome?.authorization_expiration)
  if (start !== undefined && end !== undefined && Date.parse(start) > Date.parse(end)) return { end }
  return start === undefined && end === undefined ? undefined : { start, end }
}

/** A `detail_code` as a code of pawl's own system; its text is `label`, or the code itself. */
export function detailCode(base: string, code: string, label?: string): CodeableConcept {
  return { coding: [{ system: `${base}/CodeSystem/detail-code`, code: code.trim() }], text: text(label) ?? code }
}
