import type { Message, PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { prescriptionLine } from '../fhir/mapping/drug.ts'
import { text } from '../primitives.ts'
import { aboutSubject } from './file-title.ts'
import { type Narrative, rowsOf, withoutEmpty } from './narrative.ts'
import { patientLine } from './shared-sections.ts'

/** A message of a PA's thread: its words, the names of its attachments, and the PA that it is about. */
export function messageNarrative(pa: PriorAuthorization, message: Message): Narrative {
  return {
    title: aboutSubject(pa, `Message ${message.direction ?? 'without a direction'}`),
    lead: '',
    patient: patientLine(pa.patient),
    sections: withoutEmpty([
      { heading: '', paragraphs: messageLines(message) },
      { heading: 'About', rows: rowsOf({ Drug: prescriptionLine(pa.prescription), 'Prior authorization': pa.id }) },
    ]),
  }
}

/** The words of a message, then the name of each attachment. Never an address, which expires within the hour. */
export function messageLines({ content, attachments = [] }: Message): string[] {
  const names = attachments.map(({ file_name }) => `Attachment: ${text(file_name) ?? 'a file without a name'}`)
  return [text(content), ...names].filter((line) => line !== undefined)
}
