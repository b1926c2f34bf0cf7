import type { CoverageEligibilityResponse, Reference } from 'fhir/r4.js'
import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { MappingContext } from './context.ts'
import { coverageIdentifier } from './coverage.ts'
import { toEligibilityItem } from './eligibility-item.ts'
import { payerName } from './insurance-of.ts'
import { filled, join, text } from '../../primitives.ts'
import { identifierOf, referenceTo } from './references.ts'

/** The findings of a BV. Keeps the date of `previous`, the chart's current resource. */
export function toCoverageEligibilityResponse(
  context: MappingContext,
  bv: BenefitVerification,
  previous?: CoverageEligibilityResponse,
): CoverageEligibilityResponse {
  const identifier = identifierOf(context.base, 'benefit-verification', bv.id)
  const error = errorText(bv.error)
  const insurer = payerName(bv.insurance) ?? 'Not stated'
  return {
    resourceType: 'CoverageEligibilityResponse',
    identifier: [identifier],
    status: bv.status === 'cancelled' ? 'cancelled' : 'active',
    purpose: ['benefits', 'auth-requirements'],
    patient: context.patient,
    created: previous?.created ?? context.now,
    request: referenceTo('CoverageEligibilityRequest', identifier),
    outcome: outcomeOf(bv.status),
    disposition: text(bv.status_description),
    insurer: { type: 'Organization', display: insurer },
    insurance: [
      {
        coverage: coverageReference(context, bv, insurer),
        inforce: inforce(bv.patient_coverage_status),
        item: filled((bv.drugs ?? []).map((drug) => toEligibilityItem(bv, drug))),
      },
    ],
    error: error === undefined ? undefined : [{ code: { text: error } }],
  }
}

function coverageReference(context: MappingContext, bv: BenefitVerification, insurer: string): Reference {
  const identifier = coverageIdentifier(context, bv)
  return identifier === undefined ? { type: 'Coverage', display: insurer } : referenceTo('Coverage', identifier)
}

/** A BV that was cancelled or whose status is unknown never had an outcome. */
function outcomeOf(status: string): CoverageEligibilityResponse['outcome'] {
  if (status === 'completed') return 'complete'
  return status === 'failed' ? 'error' : 'queued'
}

const notInForce: readonly string[] = [
  'patient_not_found',
  'coverage_expired',
  'coverage_not_started',
  'patient_not_covered_unspecified',
]

/** Undefined if the BV has no finding: a failed call proves nothing about the coverage. */
function inforce(status: string | undefined): boolean | undefined {
  if (status === 'covered') return true
  return status !== undefined && notInForce.includes(status) ? false : undefined
}

function errorText(error: BenefitVerification['error']): string | undefined {
  const reason = join([text(error?.code) ?? error?.title, error?.detail_code], ': ')
  return join([reason, join([error?.message, error?.detail_message], ' ')], '. ')
}
