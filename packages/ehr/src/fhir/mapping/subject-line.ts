import type { Subject } from '../../ehr.ts'
import { isBenefitVerification } from './is-benefit-verification.ts'

/** Names the PA or BV of a task, and its key among several, in one line: it tells tasks of one patient and drug apart, for people and where a chart keeps no identifier. */
export function subjectLine(subject: Subject, key?: string): string {
  const kind = isBenefitVerification(subject) ? 'Benefit verification' : 'Prior authorization'
  return `${kind}: ${subject.id}${key === undefined ? '' : ` (${key})`}`
}
