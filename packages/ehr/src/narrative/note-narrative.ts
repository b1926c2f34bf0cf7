import type { ChartNote, Subject } from '../ehr.ts'
import { aboutSubject } from './file-title.ts'
import type { Narrative } from './narrative.ts'
import { patientLine } from './shared-sections.ts'

/** A note of a few sentences, under its own title, which names the PA or BV. */
export function noteNarrative(subject: Subject, { title, text }: ChartNote): Narrative {
  const patient = patientLine(subject.patient)
  return { title: aboutSubject(subject, title), lead: '', patient, sections: [{ heading: '', paragraphs: [text] }] }
}
