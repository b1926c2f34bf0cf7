import { charsetOf } from '@pawl/base/charset-of'
import type { ChartFile, Subject } from '../ehr.ts'
import { isBenefitVerification } from '../fhir/mapping/is-benefit-verification.ts'
import { fileKinds, fileTitle } from './file-title.ts'
import { type Narrative, rowsOf, shownTime } from './narrative.ts'
import { essenceOf } from '../shown-types.ts'
import { patientLine } from './shared-sections.ts'

const asSource =
  'A file of this type can run a script in a viewer, so its source is shown as text: the file itself is with the prior authorization service.'

/** A document in place of a textual file that the chart does not take: its text, or the source of a file that a viewer could run. Never its address, which expires and is secret. */
export function fileNarrative(subject: Subject, file: ChartFile): Narrative {
  const { kind, title, at, contentType } = file
  const isPlain = essenceOf(contentType) === 'text/plain'
  const isBv = isBenefitVerification(subject)
  const rows = rowsOf({
    Patient: patientLine(subject.patient),
    Kind: fileKinds[kind],
    File: title,
    'Type of file': contentType,
    Date: shownTime(at),
    [isBv ? 'Benefit verification' : 'Prior authorization']: subject.id,
    'More at': isBv ? undefined : subject.url,
  })
  return {
    title: fileTitle(subject, file),
    lead: isPlain ? '' : asSource,
    patient: patientLine(subject.patient),
    sections: [
      { heading: isPlain ? 'Text' : 'Source', paragraphs: [decoded(file)] },
      { heading: 'Where it is', rows },
    ],
  }
}

function decoded({ content, contentType }: ChartFile): string {
  return new TextDecoder(charsetOf(content, contentType)).decode(content)
}
