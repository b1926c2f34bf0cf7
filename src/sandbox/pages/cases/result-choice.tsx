import { benefitVerificationErrorCodes } from '../../../service/schemas/benefit-verification-errors.ts'
import { benefitVerificationCases } from '../../../service/schemas/benefit-verification.ts'
import { statusOf, type Verdict, verdicts } from '../../prior-authorization/outcome.ts'
import { FoundPriorAuthorization } from '../../../service/schemas/pa-status.ts'
import { ClinicalQualificationResource } from '../../../service/schemas/clinical-qualification.ts'
import { Choice, Field } from '../form.tsx'
import type { CaseKind } from './case-kinds.ts'

/** How an outcome of a PA stands in a form, and how it is shown there. */
export function outcomeOption({ result, detail_code }: Verdict) {
  return [`${result}/${detail_code}`, `${result}: ${detail_code.replaceAll('_', ' ')}`] as const
}

const asDecided = ['', 'as decided at its creation'] as const

const asFound = ['', 'the PAs of the patient in this sandbox'] as const

/** The results that a drug of a clinical qualification can be given; one that is pending is not evaluated. */
export const qualificationResults = ClinicalQualificationResource.shape.results.element.shape.status.exclude([
  'pending',
])

/** What a PA status check can be told to find: nothing, or one PA that stands so. */
export const checkFindings = ['none', ...FoundPriorAuthorization.shape.status.options] as const

/** The results that a case of a kind can be given with a status: which field of a push carries them, and what can be chosen. */
function resultsOf(kind: CaseKind, status: string) {
  if (kind === 'prior_authorization') {
    const outcomes = verdicts.filter((verdict) => statusOf(verdict) === status)
    return { name: 'outcome', label: 'Outcome', options: outcomes.map(outcomeOption) }
  }
  if (kind === 'benefit_verification' && status === 'failed')
    return { name: 'error_code', label: 'Error', options: benefitVerificationErrorCodes }
  if (kind === 'benefit_verification' && status === 'completed') {
    const cases = benefitVerificationCases.filter((one) => one !== 'patient_consent_required')
    return { name: 'case', label: 'What every drug shows', options: cases }
  }
  if (kind === 'clinical_qualification' && status === 'evaluated')
    return { name: 'qualification', label: 'Result of every drug', options: qualificationResults.options }
  if (kind === 'pa_status' && status === 'completed')
    return { name: 'found', label: 'What it finds', options: checkFindings.map(findingOption) }
  return { name: '', label: '', options: [] }
}

function findingOption(finding: (typeof checkFindings)[number]) {
  return [finding, finding === 'none' ? 'no PA' : `a PA: ${finding.replaceAll('_', ' ')}`] as const
}

/** A choice of the result that goes with a status; nothing where the status has none. */
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
