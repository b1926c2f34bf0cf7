import type { ChartFile, Subject } from '../ehr.ts'
import { prescribedDrug, verifiedDrug } from '../fhir/mapping/drug.ts'
import { isBenefitVerification } from '../fhir/mapping/is-benefit-verification.ts'
import { join, text } from '../primitives.ts'

/** The kinds of files in words. */
export const fileKinds: Record<ChartFile['kind'], string> = {
  letter: 'Letter',
  fax_sent: 'Fax sent',
  fax_received: 'Fax received',
  attachment: 'Attachment',
  other: 'File',
}

/** The title of a file in the chart: its kind, its own title, the drug, and the PA or BV, which tells files of two PAs apart. */
export function fileTitle(subject: Subject, { kind, title }: Pick<ChartFile, 'kind' | 'title'>): string {
  const ofKind = fileKinds[kind]
  const named = title.toLowerCase().includes(ofKind.toLowerCase()) ? title : join([ofKind, text(title)], ': ')
  return aboutSubject(subject, named)
}

/** A title with the drug and the PA or BV that it is about. */
export function aboutSubject(subject: Subject, title: string | undefined): string {
  const isBv = isBenefitVerification(subject)
  const drugs = isBv ? (subject.drugs ?? []).map(verifiedDrug) : [prescribedDrug(subject.prescription)]
  const [first, ...others] = drugs.flatMap(({ name, ndc }) => name ?? ndc ?? [])
  const drug = others.length === 0 ? first : `${first} and ${others.length} more`
  return join([title, drug, `${isBv ? 'benefit verification' : 'prior authorization'} ${subject.id}`], ', ') ?? ''
}
