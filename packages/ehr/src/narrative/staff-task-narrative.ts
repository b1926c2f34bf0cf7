import type { StaffTask, Subject } from '../ehr.ts'
import { drugLine } from '../fhir/mapping/drug.ts'
import { isBenefitVerification } from '../fhir/mapping/is-benefit-verification.ts'
import { text } from '../primitives.ts'
import { aboutSubject } from './file-title.ts'
import { inWords, type Narrative, rowsOf, shownTime, withoutEmpty } from './narrative.ts'
import { patientLine } from './shared-sections.ts'

/** A staff task as a document, for charts without tasks. */
export function staffTaskNarrative(subject: Subject, task: StaffTask): Narrative {
  const instructions = text(task.instructions)
  return {
    title: aboutSubject(subject, `To do: ${task.title}`),
    lead: '',
    patient: patientLine(subject.patient),
    sections: withoutEmpty([
      { heading: 'Instructions', paragraphs: instructions === undefined ? [] : [instructions] },
      {
        heading: 'Task',
        rows: rowsOf({
          Reason: inWords(task.reason),
          'Due by': shownTime(task.dueAt),
          'Assigned to': task.owner,
          Patient: patientLine(subject.patient),
          Drug: drugLine(subject),
          [isBenefitVerification(subject) ? 'Benefit verification' : 'Prior authorization']: subject.id,
        }),
      },
    ]),
  }
}
