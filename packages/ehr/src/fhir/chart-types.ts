import type {
  ClaimResponse,
  Communication,
  Coverage,
  CoverageEligibilityResponse,
  DocumentReference,
  Task,
} from 'fhir/r4.js'

/** Every type that pawl writes. */
export interface StoredByType {
  Task: Task
  ClaimResponse: ClaimResponse
  CoverageEligibilityResponse: CoverageEligibilityResponse
  Coverage: Coverage
  Communication: Communication
  DocumentReference: DocumentReference
}
export type StoredType = keyof StoredByType

/** The types that pawl writes, in display order. */
export const storedTypes = [
  'DocumentReference',
  'Task',
  'Communication',
  'ClaimResponse',
  'CoverageEligibilityResponse',
  'Coverage',
] as const satisfies readonly StoredType[]

/** Kinds of documents, for each of which a strategy can be set. */
export const documentKinds = [
  'prior-authorization',
  'benefit-verification',
  'message',
  'note',
  'letter',
  'fax_sent',
  'fax_received',
  'attachment',
  'other',
] as const
export type DocumentKind = (typeof documentKinds)[number]

/** A type, or one kind of documents. */
export type Written = StoredType | `DocumentReference/${DocumentKind}`

export const documentsOf = (kind: DocumentKind): Written => `DocumentReference/${kind}`

/** The types, then the kinds of documents. */
export const everyWritten: readonly Written[] = [...storedTypes, ...documentKinds.map(documentsOf)]

export function typeOf(written: Written): StoredType {
  return storedTypes.find((type) => written === type) ?? 'DocumentReference'
}
