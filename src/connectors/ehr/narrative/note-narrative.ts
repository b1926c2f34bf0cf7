import type { ChartNote, Subject } from '../ehr.ts'
import type { Narrative } from './narrative.ts'
import { patientLine } from './shared-sections.ts'

/** A note of a few sentences, under its own title. */
export function noteNarrative(subject: Subject, { title, text }: ChartNote): Narrative {
  const patient = patientLine(subject.patient)
  return { title, lead: '', patient, sections: [{ heading: '', paragraphs: [text] }] }
}
