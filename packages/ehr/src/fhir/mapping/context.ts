import type { CodeableConcept, Reference } from 'fhir/r4.js'
import type { Digest } from '@pawl/connector/digest'
import type { PdfWriter } from '../../narrative/pdf-writer.ts'

/** Input of every mapping beside the service's resource. */
export interface MappingContext {
  /** Base of the identifier systems, without a trailing slash. */
  base: string
  /** The patient in the chart. */
  patient: Reference
  /** The ledger's keyed digest, for identifiers. */
  digest: Digest
  /** ISO date-time. */
  now: string
  /** Whether determinations carry X12 306 codes, which are licensed. */
  hasReviewActionCodes: boolean
  documents: DocumentOptions
  writePdf: PdfWriter['write']
  /** Recipient of messages, for charts that require one. */
  messageRecipient?: Reference | undefined
}

/** Format and type of documents in a chart. */
export interface DocumentOptions {
  /** Content types of a narrative, each an attachment of its own. */
  formats: readonly NarrativeFormat[]
  /** Content types of files that the chart takes; absent: any. */
  taken?: readonly string[] | undefined
  /** The chart's own document type; replaces the LOINC code. */
  type?: CodeableConcept | undefined
  /** Whoever wrote it: an organization, a device, a practitioner, or a name. */
  author: Reference
  /** The prescriber counts as author: a setting says so. */
  isByPrescriber?: boolean | undefined
  /** The practitioner who answers for documents; without one, none counts as verified. */
  signer?: Reference | undefined
}

export const narrativeFormats = [
  'text/plain',
  'application/xhtml+xml',
  'text/html',
  'application/pdf',
  'text/rtf',
  'application/rtf',
] as const
export type NarrativeFormat = (typeof narrativeFormats)[number]
