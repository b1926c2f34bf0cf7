import type { DocumentReference } from 'fhir/r4.js'
import type { ChartFile, ChartNote, Subject } from '../../ehr.ts'
import type { MappingContext } from './context.ts'
import { documentReference, documentTypes } from './document-reference.ts'
import { attachmentOf, narrativeAttachment } from './attachment.ts'
import { toInstant } from './primitives.ts'
import { identifierOf } from './references.ts'

/** A letter, a fax or an attachment as a document of its own, dated as the file is. */
export function toFileDocument(context: MappingContext, subject: Subject, file: ChartFile): DocumentReference {
  return documentReference(context, {
    identifier: identifierOf(context.base, 'document', `${subject.id}/${file.key}`),
    type: file.kind === 'letter' ? documentTypes.payerLetter : documentTypes.note,
    docStatus: 'final',
    date: toInstant(file.at),
    description: file.title,
    attachments: [attachmentOf(file.content, file.contentType, file.title)],
  })
}

/** A note of a few sentences as a document of its own. */
export function toNoteDocument(context: MappingContext, subject: Subject, note: ChartNote): DocumentReference {
  const narrative = { title: note.title, lead: '', sections: [{ heading: '', paragraphs: [note.text] }] }
  return documentReference(context, {
    identifier: identifierOf(context.base, 'note', `${subject.id}/${note.key}`),
    type: documentTypes.note,
    docStatus: 'final',
    date: toInstant(note.at),
    description: note.title,
    attachments: context.documents.formats.map((format) => narrativeAttachment(narrative, format)),
  })
}
