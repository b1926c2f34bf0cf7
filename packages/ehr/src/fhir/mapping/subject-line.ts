import type { Subject } from '../../ehr.ts'
import { isBenefitVerification } from './is-benefit-verification.ts'

/** One line with the PA or BV of a task, and its key among several. It tells tasks of one patient and drug apart, for people and in charts without identifiers. */
export function subjectLine(subject: Subject, key?: string): string {
  const kind = isBenefitVerification(subject) ? 'Benefit verification' : 'Prior authorization'
  return `${kind}: ${subject.id}${key === undefined ? '' : ` (${key})`}`
}

/** Whether a text holds such a line about the resource with this id. */
export function namesSubject(text: string, id: string): boolean {
  const names = ['Prior authorization', 'Benefit verification'].map((kind) => `${kind}: ${id}`)
  return text.split('\n').some((line) => names.some((name) => line === name || line.startsWith(`${name} (`)))
}
