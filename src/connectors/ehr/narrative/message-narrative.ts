import type { Message, PriorAuthorization } from '../../../service/schemas/prior-authorization.ts'
import { prescriptionLine } from '../fhir/mapping/drug.ts'
import { text } from '../primitives.ts'
import { type Narrative, rowsOf, withoutEmpty } from './narrative.ts'
import { patientLine } from './shared-sections.ts'

/** A message of a PA's thread: what was said, the names of its attachments, and which PA it is about. */
export function messageNarrative(pa: PriorAuthorization, message: Message): Narrative {
  const { direction, content, attachments = [] } = message
  const names = attachments.map(({ file_name }) => `Attachment: ${text(file_name) ?? 'without a name'}`)
  return {
    title: `Message about a prior authorization, ${direction ?? 'direction unknown'}`,
    lead: '',
    patient: patientLine(pa.patient),
    sections: withoutEmpty([
      { heading: '', paragraphs: [text(content), ...names].filter((line) => line !== undefined) },
      { heading: 'About', rows: rowsOf({ Drug: prescriptionLine(pa.prescription), 'Prior authorization': pa.id }) },
    ]),
  }
}
