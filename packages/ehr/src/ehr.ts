import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { Message, PriorAuthorization } from 'pawl-client/schemas/prior-authorization'

/** The resource that a task, document or note in a chart is about. */
export type Subject = PriorAuthorization | BenefitVerification

/** A task for a person. */
export interface StaffTask {
  /** Tells several tasks of one resource apart; absent for its only task. */
  key?: string | undefined
  /** The task in a few words, as work lists show it. */
  title: string
  /** One word that work lists can filter by. A different reason reopens the task. */
  reason: string
  /** Background for the person who opens the task. */
  instructions?: string | undefined
  /** ISO date or date-time. */
  dueAt?: string | undefined
  /** The assignee: a reference of the chart such as `Practitioner/123`, or a name. */
  owner?: string | undefined
}

/** A file that belongs in the chart: a letter, a fax, an attachment. */
export interface ChartFile {
  /** Stable for this file and unique within its resource. */
  key: string
  /** Decides the document's type in the chart. */
  kind: 'letter' | 'fax_sent' | 'fax_received' | 'attachment' | 'other'
  /** The name under which the chart lists it, with its kind, the drug and the subject. */
  title: string
  /** ISO date-time of the file itself, not of its filing. */
  at?: string | undefined
  /** For example `application/pdf`. A type that charts do not show, such as `text/html`, is filed as its source, or not at all. */
  contentType: string
  /** The bytes of the file. */
  content: Uint8Array
}

/** A file whose content cannot be filed. */
export type UnfiledFile = Omit<ChartFile, 'contentType' | 'content'>

/** A note of a few sentences. */
export interface ChartNote {
  /** Stable for this note and unique within its resource. */
  key: string
  /** Decides by which setting it is filed: EHR_FILED_MESSAGES for a call or an attempt to reach the prescriber, EHR_FILED_BENEFITS for a real-time benefits check. Absent: always. */
  kind?: 'contact' | 'benefits' | undefined
  /** The heading of the note. */
  title: string
  /** The note itself, in plain text. */
  text: string
  /** ISO date-time of the note. */
  at?: string | undefined
}

/** How a staff task ends: done, or no longer wanted. */
export type TaskEnding = 'completed' | 'cancelled'

/**
 * The customer's chart. Every method is an upsert: a second call with the same resource changes nothing. Content that the settings do not choose, and
 * types that the chart does not take, are left out. Failures are `EhrWriteFailed`, `PatientNotFound`, `PatientAmbiguous`, `EncounterNotFound` and `PractitionerNotFound`.
 */
export interface Ehr {
  /** The PA's state, its determination, and a document that shows both to people. */
  putPriorAuthorization(priorAuthorization: PriorAuthorization): Promise<void>
  /** One message of the PA's thread, with the files that came with it. */
  putMessage(priorAuthorization: PriorAuthorization, message: Message, files?: readonly ChartFile[]): Promise<void>
  /** The BV's findings, drug by drug, and a document that shows them to people. */
  putBenefitVerification(benefitVerification: BenefitVerification): Promise<void>
  /** The state of the PA's prescription transfer. */
  putPrescriptionTransfer(priorAuthorization: PriorAuthorization): Promise<void>
  /** Opens a staff task, or reopens it if the reason changed. A status, owner or note that staff set stays. */
  openStaffTask(subject: Subject, task: StaffTask): Promise<void>
  /** Ends a staff task unless staff ended it themselves. `key` as it was opened. */
  closeStaffTask(subject: Subject, ending: TaskEnding, key?: string): Promise<void>
  /** A letter, a fax, an attachment. Staff are told of a file that the chart cannot show. */
  putFile(subject: Subject, file: ChartFile): Promise<void>
  /** Tells staff of a file that cannot be filed, such as one too large to download: by a task of the chart, or by pawl's own list. */
  tellOfFile(subject: Subject, file: Omit<ChartFile, 'contentType' | 'content'>): Promise<void>
  /** A note of a few sentences. */
  putNote(subject: Subject, note: ChartNote): Promise<void>
}
