import { benefitVerificationErrorCodes } from '../../../resources/benefit-verification-errors.ts'
import { benefitVerificationCases } from '../../../resources/requests/benefit-verification.ts'
import { statusOf, type Verdict, verdicts } from '../../prior-authorization/outcome.ts'
import { Choice } from '../form.tsx'
import type { CaseKind } from './case-kinds.ts'

/** How an outcome of a PA stands in a form, and how it is shown there. */
export function outcomeOption({ result, detail_code }: Verdict) {
  return [`${result}/${detail_code}`, `${result}: ${detail_code.replaceAll('_', ' ')}`] as const
}

const asDecided = ['', 'as decided at its creation'] as const

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
  return { name: '', label: '', options: [] }
}

/** A choice of the result that goes with a status; nothing where the status has none. */
export function ResultChoice({ kind, status }: { kind: CaseKind; status: string }) {
  const { name, label, options } = resultsOf(kind, status)
  if (options.length === 0) return null
  return <Choice name={name} label={label} within={`to-${status}`} options={[asDecided, ...options]} />
}
