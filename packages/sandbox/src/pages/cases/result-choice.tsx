import { benefitVerificationErrorCodes } from 'pawl-client/schemas/benefit-verification-errors'
import { benefitVerificationCases } from 'pawl-client/schemas/benefit-verification'
import { statusOf, type Verdict, verdicts } from '../../prior-authorization/pa-verdict.ts'
import { FoundPriorAuthorization } from 'pawl-client/schemas/pa-status'
import { ClinicalQualificationResource } from 'pawl-client/schemas/clinical-qualification'
import { Choice, Field } from '../form.tsx'
import type { CaseKind } from '../../cases/case-kinds.ts'

/** Value and label of a PA's outcome in a form. */
export function outcomeOption({ result, detail_code }: Verdict) {
  return [`${result}/${detail_code}`, `${result}: ${detail_code.replaceAll('_', ' ')}`] as const
}

const asDecided = ['', 'as decided at its creation'] as const

const asFound = ['', 'the PAs of the patient in this sandbox'] as const

/** Results that a push can set for a drug of a clinical qualification; `pending` is not a result. */
export const qualificationResults = ClinicalQualificationResource.shape.results.element.shape.status.exclude([
  'pending',
])

/** Findings that a push can set for a PA status check: none, or one PA with this status. */
export const checkFindings = ['none', ...FoundPriorAuthorization.shape.status.options] as const

/** Results that go with a status of this kind: field of the push, label and options. */
function resultsOf(kind: CaseKind, status: string) {
  if (kind === 'prior_authorization') {
    const outcomes = verdicts.filter((verdict) => statusOf(verdict) === status)
    return { name: 'outcome', label: 'Outcome', options: outcomes.map(outcomeOption) }
  }
  if (kind === 'benefit_verification' && status === 'failed')
    return { name: 'error_code', label: 'Error', options: benefitVerificationErrorCodes }
  if (kind === 'benefit_verification' && status === 'completed') {
    const cases = benefitVerificationCases.filter((one) => one !== 'patient_consent_required')
    return { name: 'case', label: 'Result of every drug', options: cases }
  }
  if (kind === 'clinical_qualification' && status === 'evaluated')
    return { name: 'qualification', label: 'Result of every drug', options: qualificationResults.options }
  if (kind === 'pa_status' && status === 'completed')
    return { name: 'found', label: 'Finding', options: checkFindings.map(findingOption) }
  return { name: '', label: '', options: [] }
}

function findingOption(finding: (typeof checkFindings)[number]) {
  return [finding, finding === 'none' ? 'no PA' : `a PA: ${finding.replaceAll('_', ' ')}`] as const
}

/** A choice of the result that goes with a status, if any. */
export function ResultChoice({ kind, status }: { kind: CaseKind; status: string }) {
  if (kind === 'pa_status' && status === 'failed')
    return <Field name="failure_reason" label="Reason (optional)" within={`to-${status}`} />
  const { name, label, options } = resultsOf(kind, status)
  if (options.length === 0) return null
  return (
    <Choice
      name={name}
      label={label}
      within={`to-${status}`}
      options={[kind === 'pa_status' ? asFound : asDecided, ...options]}
    />
  )
}
