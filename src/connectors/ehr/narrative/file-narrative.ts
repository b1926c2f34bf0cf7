import type { ChartFile, Subject } from '../ehr.ts'
import { isBenefitVerification } from '../fhir/mapping/is-benefit-verification.ts'
import { type Narrative, rowsOf, shownTime } from './narrative.ts'
import { patientLine } from './shared-sections.ts'

const kinds: Record<ChartFile['kind'], string> = {
  letter: 'Letter',
  fax_sent: 'Fax sent',
  fax_received: 'Fax received',
  attachment: 'Attachment',
  other: 'File',
}

/** Stands for a file that the chart does not take: its text where it is text, otherwise where to find it. Never its address, which expires and is secret. */
export function fileNarrative(subject: Subject, file: ChartFile): Narrative {
  const { kind, title, at, contentType, content } = file
  const isText = /^text\/plain\b/i.test(contentType)
  const isBv = isBenefitVerification(subject)
  const rows = rowsOf({
    Patient: patientLine(subject.patient),
    Kind: kinds[kind],
    File: title,
    'Type of file': contentType,
    Date: shownTime(at),
    [isBv ? 'Benefit verification' : 'Prior authorization']: subject.id,
    'More at': isBv ? undefined : subject.url,
  })
  return {
    title,
    lead: isText
      ? ''
      : 'The chart takes no files of this type: the file itself is with the prior authorization service.',
    patient: patientLine(subject.patient),
    sections: [
      ...(isText ? [{ heading: 'Text', paragraphs: [Buffer.from(content).toString('utf8')] }] : []),
      { heading: 'Where it is', rows },
    ],
  }
}
