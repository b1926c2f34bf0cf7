import type { ClaimResponse, ClaimResponseItem } from 'fhir/r4.js'
import { isApproved, type Outcome, type PriorAuthorization } from '../../../../resources/prior-authorization.ts'
import { payerName } from './coverage.ts'
import { text, toDateTime } from './primitives.ts'
import { identifierOf, patientReference, referenceTo } from './references.ts'

/** X12 service review actions (code list 306). */
type ReviewAction = 'A1' | 'A3' | 'A4' | 'C' | 'NA'

interface Determination {
  status: ClaimResponse['status']
  outcome: ClaimResponse['outcome']
  reviewAction?: ReviewAction | undefined
  disposition?: string | undefined
  note?: string | undefined
  preAuthPeriod?: ClaimResponse['preAuthPeriod']
}

const running: readonly string[] = [
  'processing',
  'awaiting_outcome',
  'awaiting_review',
  'awaiting_provider_response',
  'validating_outcome',
]

/**
 * The determination of a PA, or absent where the chart's is to be left as it is. `previous` is the one that the chart holds:
 * its date is kept, and only an existing one is withdrawn. `now` is an ISO date-time.
 */
export function toClaimResponse(
  base: string,
  priorAuthorization: PriorAuthorization,
  { previous, now }: { previous: ClaimResponse | undefined; now: string },
): ClaimResponse | undefined {
  const determination = determine(priorAuthorization, previous)
  if (determination === undefined) return undefined
  const { status, outcome, reviewAction, disposition, note, preAuthPeriod } = determination
  const identifier = identifierOf(base, 'prior-authorization', priorAuthorization.id)
  return {
    resourceType: 'ClaimResponse',
    identifier: [identifier],
    status,
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/claim-type', code: 'pharmacy' }] },
    use: 'preauthorization',
    patient: patientReference(base, priorAuthorization.patient),
    created: previous?.created ?? now,
    insurer: { type: 'Organization', display: payerName(priorAuthorization.insurance) ?? 'Not stated' },
    request: referenceTo('Claim', identifier),
    outcome,
    disposition,
    preAuthPeriod,
    item: reviewAction === undefined ? undefined : [reviewed(reviewAction)],
    processNote: note === undefined ? undefined : [{ text: note }],
  }
}

function determine(pa: PriorAuthorization, previous: ClaimResponse | undefined): Determination | undefined {
  // While the PA runs its outcome is a placeholder or still being checked, so none is published.
  if (running.includes(pa.status)) return { status: 'active', outcome: 'queued', reviewAction: 'A4' }
  const said = { status: 'active', disposition: text(pa.outcome?.result), note: text(pa.outcome?.detail) } as const
  if (pa.status === 'completed') return { ...said, outcome: 'complete', ...decided(pa.outcome) }
  if (pa.status === 'failed') return { ...said, outcome: 'error' }
  if (previous === undefined) return undefined
  if (pa.status === 'cancelled') return { status: 'cancelled', outcome: previous.outcome, reviewAction: 'C' }
  // Nothing will be decided any more: a determination left queued would promise one for ever.
  if (pa.status === 'not_submitted') return { status: 'cancelled', outcome: previous.outcome }
  return undefined
}

function decided(outcome: Outcome | undefined): Partial<Determination> {
  const unneeded = outcome?.detail_code === 'prior_auth_not_required'
  if (isApproved(outcome)) {
    // Where none was needed none was given: neither a certification nor a period of validity.
    if (unneeded) return { disposition: 'Approved', reviewAction: 'NA' }
    return { disposition: 'Approved', reviewAction: 'A1', preAuthPeriod: authorizationPeriod(outcome) }
  }
  if (outcome?.result === 'Denied') return { reviewAction: 'A3' }
  if (outcome?.result !== 'Other') return {}
  return {
    disposition: text(outcome.detail_code) ?? outcome.result,
    reviewAction: unneeded ? 'NA' : undefined,
  }
}

function authorizationPeriod(outcome: Outcome | undefined): ClaimResponse['preAuthPeriod'] {
  const start = toDateTime(outcome?.authorization_start_date)
  const end = toDateTime(outcome?.authorization_expiration)
  // FHIR refuses a period that ends before it starts (per-1); its end is what matters to whoever dispenses.
  if (start !== undefined && end !== undefined && start > end) return { end }
  return start === undefined && end === undefined ? undefined : { start, end }
}

const pas = 'http://hl7.org/fhir/us/davinci-pas/StructureDefinition'

function reviewed(action: ReviewAction): ClaimResponseItem {
  const code = {
    url: `${pas}/extension-reviewActionCode`,
    valueCodeableConcept: { coding: [{ system: 'https://codesystem.x12.org/005010/306', code: action }] },
  }
  return {
    itemSequence: 1,
    adjudication: [
      {
        extension: [{ url: `${pas}/extension-reviewAction`, extension: [code] }],
        category: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/adjudication', code: 'submitted' }],
        },
      },
    ],
  }
}
