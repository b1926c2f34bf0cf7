import type { Attachment, CodeableConcept, DocumentReference } from 'fhir/r4.js'
import type { MappingContext } from './context.ts'
import type { NamedIdentifier } from './references.ts'

const loinc = 'http://loinc.org'

/** Document types that pawl files, by LOINC. */
export const documentTypes = {
  note: { coding: [{ system: loinc, code: '51851-4', display: 'Administrative note' }], text: 'Administrative note' },
  payerLetter: { coding: [{ system: loinc, code: '52034-6', display: 'Payer letter' }], text: 'Payer letter' },
} as const satisfies Record<string, CodeableConcept>

/** The category of US Core. */
export const clinicalNote = {
  coding: [
    {
      system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
      code: 'clinical-note',
      display: 'Clinical Note',
    },
  ],
}

export interface DocumentParts {
  identifier: NamedIdentifier
  /** Default type, unless the chart has its own. */
  type: CodeableConcept
  /** Once somebody signs. */
  docStatus: NonNullable<DocumentReference['docStatus']>
  /** ISO instant; absent: now. */
  date: string | undefined
  description: string
  attachments: readonly Attachment[]
}

/** A document in the patient's chart, as US Core requires. */
export function documentReference(context: MappingContext, parts: DocumentParts): DocumentReference {
  const { signer } = context.documents
  return {
    resourceType: 'DocumentReference',
    identifier: [parts.identifier],
    status: 'current',
    // `final` is "verified by an appropriate person" (R4, CompositionStatus).
    docStatus: signer === undefined ? 'preliminary' : parts.docStatus,
    type: context.documents.type ?? parts.type,
    category: [clinicalNote],
    subject: context.patient,
    date: parts.date ?? context.now,
    author: [context.documents.author],
    ...(signer && parts.docStatus === 'final' && { authenticator: signer }),
    description: parts.description,
    content: parts.attachments.map((attachment) => ({ attachment })),
  }
}
