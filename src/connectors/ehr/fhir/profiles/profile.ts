import type { CodeableConcept, DocumentReference, Task } from 'fhir/r4.js'
import type { StoredType } from '../chart-types.ts'

export const profileNames = ['r4', 'us-core', 'epic', 'oracle-health', 'canvas', 'athenapractice', 'medplum'] as const
export type ProfileName = (typeof profileNames)[number]

/** One demand of a vendor, with its source and the date of the look-up. */
export interface Demand<T> {
  is: T
  /** Address or name of the document. */
  source: string
  /** ISO date. */
  lookedUp: string
}

/** Demands of one vendor's chart beyond FHIR R4, which its CapabilityStatement does not state. Data alone: mappings and plans obey it. */
export interface VendorProfile {
  name: ProfileName
  /** The product's name. */
  title: string
  /** Recognises the chart by a name that its CapabilityStatement holds (software, publisher, title); absent: only by FHIR_PROFILE. */
  recognisedBy?: RegExp
  /** Rights (SMART 2) of the types that pawl writes there, as docs/ehr.md has the vendor register them; absent: all, for every type. */
  scopes?: Partial<Record<StoredType, 'crs' | 'crus'>>
  DocumentReference: DocumentDemands
  Task: TaskDemands
  Communication: MessageDemands
}

/** Demands that any type may have. */
export interface TypeDemands {
  /** Why pawl does not write the type, though the chart states that it takes it: a clause. */
  unfit?: Demand<string>
  /** The chart takes no update of it: a change is created anew. */
  neverUpdated?: Demand<true>
  /** Elements of which the chart adds what an update holds to what it has: an update leaves them out. */
  appended?: Demand<readonly string[]>
  /** Elements that the chart takes and does not keep. */
  unkept?: Demand<readonly string[]>
}

/** A Practitioner of the chart where R4 allows other references. `if-known`: or none at all. */
export type PractitionerDemand = 'demanded' | 'if-known'

export interface DocumentDemands extends TypeDemands {
  /** Most attachments of a document. */
  attachments?: Demand<number>
  /** MIME types without parameters, the best for a narrative first. */
  contentTypes?: Demand<readonly string[]>
  /** MIME types on an update, where they are fewer. */
  updateContentTypes?: Demand<readonly string[]>
  /** Parameter of every textual content type. */
  charset?: Demand<'utf-8'>
  /** Allowed values; any other becomes the first. */
  docStatus?: Demand<readonly NonNullable<DocumentReference['docStatus']>[]>
  /** context.period.end, with a time. */
  period?: Demand<true>
  /** context.encounter, an encounter of the patient. */
  encounter?: Demand<true>
  author?: Demand<PractitionerDemand>
  authenticator?: Demand<PractitionerDemand>
  /** The only type, unless FHIR_DOCUMENT_TYPE names another. */
  type?: Demand<CodeableConcept>
  category?: Demand<CodeableConcept>
  /** The only title; the document's own title goes elsewhere. */
  description?: Demand<string>
  extensions?: Demand<readonly DemandedExtension[]>
}

/** An extension with a fixed value, or with one of the document's. */
export type DemandedExtension =
  | { url: string; valueString: string }
  | { url: string; valueBoolean: boolean }
  | { url: string; from: 'date' | 'practitioner' | 'title' }

export interface TaskDemands extends TypeDemands {
  /** Replacements of statuses that the chart does not take. */
  statuses?: Demand<Partial<Record<Task['status'], Task['status']>>>
  intent?: Demand<Task['intent']>
  requester?: Demand<PractitionerDemand>
  owner?: Demand<PractitionerDemand>
  /** The chart shows `description` and labels alone: code, states, results and dates are said there. */
  isTextual?: Demand<true>
}

export interface MessageDemands extends TypeDemands {
  category?: Demand<CodeableConcept>
  sender?: Demand<PractitionerDemand>
  /** Types of recipient, of which FHIR_MESSAGE_RECIPIENT must name one; without one, messages are filed as documents. */
  recipient?: Demand<readonly string[]>
  /** The words as one attachment of this content type, with charset. */
  attachment?: Demand<string>
}

/** Makes the demands that one document states. */
export function demandsFrom(source: string, lookedUp: string) {
  return <T>(is: T): Demand<T> => ({ is, source, lookedUp })
}
