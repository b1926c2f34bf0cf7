import type { ClaimResponse, ClaimResponseItem, Period } from 'fhir/r4.js'
import { isApproved, isUnneeded, type Outcome } from 'pawl-client/schemas/outcome'
import { type PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { MappingContext } from './context.ts'
import { payerName } from './insurance-of.ts'
import { authorizationPeriod, settledOutcome } from './settled-outcome.ts'
import { text } from '../../primitives.ts'
import { identifierOf, prescriberReference, referenceTo } from './references.ts'

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

/** In these statuses the outcome is a placeholder or still being checked, and is not published. */
const running: readonly string[] = [
  'processing',
  'awaiting_outcome',
  'awaiting_review',
  'awaiting_provider_response',
  'validating_outcome',
]

/** Statuses that a PA has only after it was submitted to the payer. */
const submitted: readonly string[] = ['awaiting_outcome', 'validating_outcome']

/** The determination of a PA; undefined to keep the chart's. Keeps the date of `previous`, the chart's current one; only an existing one is withdrawn. */
export function toClaimResponse(
  context: MappingContext,
  pa: PriorAuthorization,
  previous?: ClaimResponse,
): ClaimResponse | undefined {
  const determination = determine(pa, previous)
  if (determination === undefined) return undefined
  const { status, outcome, reviewAction, disposition, note, preAuthPeriod } = determination
  const identifier = identifierOf(context.base, 'prior-authorization', pa.id)
  const isReviewed = reviewAction !== undefined && context.hasReviewActionCodes
  return {
    resourceType: 'ClaimResponse',
    identifier: [identifier],
    status,
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/claim-type', code: 'pharmacy' }] },
    use: 'preauthorization',
    patient: context.patient,
    created: previous?.created ?? context.now,
    insurer: { type: 'Organization', display: payerName(pa.insurance) ?? 'Not stated' },
    requestor: prescriberReference(pa.provider),
    request: referenceTo('Claim', identifier),
    outcome,
    disposition,
    preAuthPeriod,
    item: isReviewed ? [reviewed(reviewAction, preAuthPeriod)] : undefined,
    processNote: note === undefined ? undefined : [{ text: note }],
  }
}

function determine(pa: PriorAuthorization, previous: ClaimResponse | undefined): Determination | undefined {
  if (running.includes(pa.status)) {
    // Review and provider response happen before or after the submission: the chart's determination tells which.
    const isSubmitted = submitted.includes(pa.status) || isPended(previous)
    return { status: 'active', outcome: 'queued', reviewAction: isSubmitted ? 'A4' : undefined }
  }
  const outcome = settledOutcome(pa)
  const said = { disposition: text(outcome?.result), note: text(outcome?.detail) }
  if (pa.status === 'completed') return { status: 'active', ...said, outcome: 'complete', ...decided(outcome) }
  if (pa.status === 'failed') return { status: 'active', ...said, outcome: 'error' }
  if (previous === undefined) return undefined
  // A withdrawn determination is always the same, regardless of the deliveries that arrived before.
  if (pa.status === 'cancelled') return { status: 'cancelled', outcome: 'queued', reviewAction: 'C' }
  if (pa.status === 'not_submitted') return { status: 'cancelled', ...said, outcome: 'queued' }
  return undefined
}

function decided(outcome: Outcome | undefined): Partial<Determination> {
  if (isApproved(outcome)) {
    // No authorization was needed: there is no certification and no period of validity.
    if (isUnneeded(outcome)) return { disposition: 'Approved', reviewAction: 'NA' }
    return { disposition: 'Approved', reviewAction: 'A1', preAuthPeriod: authorizationPeriod(outcome) }
  }
  if (outcome?.result === 'Denied') return { reviewAction: 'A3' }
  if (outcome?.result !== 'Other') return {}
  return {
    disposition: text(outcome.detail_code) ?? outcome.result,
    reviewAction: isUnneeded(outcome) ? 'NA' : undefined,
  }
}

const pas = 'http://hl7.org/fhir/us/davinci-pas/StructureDefinition'
const codeList = 'https://codesystem.x12.org/005010/306'

/** The only item of a determination, which carries its review action and, where one was granted, its validity. */
function reviewed(action: ReviewAction, valid: Period | undefined): ClaimResponseItem {
  const code = {
    url: `${pas}/extension-reviewActionCode`,
    valueCodeableConcept: { coding: [{ system: codeList, code: action }] },
  }
  return {
    ...(valid && { extension: [{ url: `${pas}/extension-itemPreAuthPeriod`, valuePeriod: valid }] }),
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

/** Whether a determination states that the payer has the request. */
function isPended(response: ClaimResponse | undefined): boolean {
  const extensions = response?.item?.flatMap(({ adjudication }) =>
    adjudication.flatMap(({ extension = [] }) => extension),
  )
  const codings = extensions?.flatMap(({ extension = [] }) =>
    extension.flatMap(({ valueCodeableConcept }) => valueCodeableConcept?.coding ?? []),
  )
  return codings?.some(({ system, code }) => system === codeList && code === 'A4') ?? false
}
