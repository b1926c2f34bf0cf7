import type { DocumentReference } from 'fhir/r4.js'
import type { Message, PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { ChartFile, ChartNote, Subject } from '../../ehr.ts'
import { fileNarrative } from '../../narrative/file-narrative.ts'
import { fileTitle } from '../../narrative/file-title.ts'
import { messageNarrative } from '../../narrative/message-narrative.ts'
import { noteNarrative } from '../../narrative/note-narrative.ts'
import type { DocumentOptions, MappingContext } from './context.ts'
import { narrated } from './document.ts'
import { documentReference, documentTypes } from './document-reference.ts'
import { attachmentOf, narrativeAttachments } from './narrative-attachment.ts'
import { essenceOf, isShown, isTextual } from '../../shown-types.ts'
import { toInstant } from '../../primitives.ts'
import { identifierOf } from './references.ts'

/** A letter, fax or attachment as a document of its own, with the file's date; a text of a type that the chart does not take or show, in the chart's form. */
export async function toFileDocument(
  context: MappingContext,
  subject: Subject,
  file: ChartFile,
): Promise<DocumentReference> {
  const title = fileTitle(subject, file)
  return documentReference(context, {
    identifier: identifierOf(context.base, 'document', `${subject.id}/${file.key}`),
    type: file.kind === 'letter' ? documentTypes.payerLetter : documentTypes.note,
    docStatus: 'final',
    date: toInstant(file.at),
    description: title,
    attachments: isTaken(context.documents, file)
      ? [attachmentOf(file.content, typeOf(context, file), title)]
      : await narrativeAttachments(context, fileNarrative(subject, file)),
  })
}

/** A note of a few sentences as a document of its own. */
export function toNoteDocument(context: MappingContext, subject: Subject, note: ChartNote): Promise<DocumentReference> {
  const identifier = identifierOf(context.base, 'note', `${subject.id}/${note.key}`)
  return narrated(context, { identifier, narrative: noteNarrative(subject, note), at: note.at })
}

/** One message of a PA's thread as a document, where the chart takes no Communication. */
export function toMessageDocument(
  context: MappingContext,
  pa: PriorAuthorization,
  message: Message,
): Promise<DocumentReference> {
  const identifier = identifierOf(context.base, 'prior-authorization-message', `${pa.id}/${message.id}`)
  return narrated(context, { identifier, narrative: messageNarrative(pa, message), at: message.timestamp })
}

/** Whether the chart can hold the file's content: as it came, or as a text in the chart's form. */
export function isFilable(documents: DocumentOptions, file: ChartFile): boolean {
  return isTaken(documents, file) || isTextual(file)
}

function isTaken({ taken }: DocumentOptions, file: ChartFile): boolean {
  return isShown(file) && (taken?.includes(essenceOf(file.contentType)) ?? true)
}

/** Where the chart names its types, they are compared without parameters, so none are sent. */
function typeOf({ documents: { taken } }: MappingContext, { contentType }: ChartFile): string {
  return taken === undefined ? contentType : essenceOf(contentType)
}
