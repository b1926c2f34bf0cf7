import type { CodeableConcept, Reference } from 'fhir/r4.js'
import type { Digest } from '../../../../systems/digest.ts'

/** What every mapping needs beside the service's resource. */
export interface MappingContext {
  /** Base of the identifier systems, without a slash at its end. */
  base: string
  /** The patient's own resource in the chart. */
  patient: Reference
  /** Of the ledger, for identifiers. */
  digest: Digest
  /** ISO date-time. */
  now: string
  /** Whether determinations carry X12 306 codes, which are licensed. */
  hasReviewActionCodes: boolean
  documents: DocumentOptions
  /** Who reads messages in the chart, where it asks for somebody that it knows. */
  messageRecipient?: Reference | undefined
}

/** How an EHR wants its documents. */
export interface DocumentOptions {
  /** Content types of a narrative, each an attachment of its own. */
  formats: readonly NarrativeFormat[]
  /** The chart's own document type, in place of the LOINC code. */
  type?: CodeableConcept | undefined
  author: Reference
}

export const narrativeFormats = ['text/plain', 'application/xhtml+xml'] as const
export type NarrativeFormat = (typeof narrativeFormats)[number]
