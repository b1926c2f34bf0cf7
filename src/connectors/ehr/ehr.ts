import type { BenefitVerification } from '../../service/schemas/benefit-verification.ts'
import type { Message, PriorAuthorization } from '../../service/schemas/prior-authorization.ts'

/** What tasks, documents and notes in a chart are about. */
export type Subject = PriorAuthorization | BenefitVerification

/** A task for a person. */
export interface StaffTask {
  /** Tells several tasks of one resource apart; absent: its one task. */
  key?: string | undefined
  /** What is to be done, in a few words, as work lists show it. */
  title: string
  /** Why, as one word that work lists can filter by. With another reason the task opens again. */
  reason: string
  /** What whoever opens the task needs to know. */
  instructions?: string | undefined
  /** ISO date or date-time. */
  dueAt?: string | undefined
  /** Who is to do it: a reference of the chart such as `Practitioner/123`, or a name. */
  owner?: string | undefined
}

/** A file that belongs in the chart: a letter, a fax, an attachment. */
export interface ChartFile {
  /** Stays the same for this file, and is unique within its resource. */
  key: string
  kind: 'letter' | 'fax_sent' | 'fax_received' | 'attachment' | 'other'
  title: string
  /** ISO date-time of the file itself, not of its filing. */
  at?: string | undefined
  /** For example `application/pdf`. */
  contentType: string
  content: Uint8Array
}

/** A note of a few sentences. */
export interface ChartNote {
  /** Stays the same for this note, and is unique within its resource. */
  key: string
  title: string
  text: string
  /** ISO date-time. */
  at?: string | undefined
}

/** How a staff task ends: what it asked for was done, or is no longer wanted. */
export type TaskEnding = 'completed' | 'cancelled'

/**
 * The customer's chart. Every method is an upsert: calling it again with the same resource changes nothing, and what the chart does not take is
 * left out. Failures are `EhrWriteFailed`, `PatientNotFound` and `PatientAmbiguous`.
 */
export interface Ehr {
  /** The PA's state, its determination, and the document that says both to people. */
  putPriorAuthorization(priorAuthorization: PriorAuthorization): Promise<void>
  /** One message of the PA's thread, with the files that came with it. */
  putMessage(priorAuthorization: PriorAuthorization, message: Message, files?: readonly ChartFile[]): Promise<void>
  /** What the BV found out, drug by drug, and the document that says it to people. */
  putBenefitVerification(benefitVerification: BenefitVerification): Promise<void>
  /** The state of the PA's prescription transfer. */
  putPrescriptionTransfer(priorAuthorization: PriorAuthorization): Promise<void>
  /** Opens a staff task, or opens it again where the reason is another; a status, an owner and notes that staff gave it stay theirs. */
  openStaffTask(subject: Subject, task: StaffTask): Promise<void>
  /** Ends a staff task if there is one that staff have not ended themselves. `key` as it was opened. */
  closeStaffTask(subject: Subject, ending: TaskEnding, key?: string): Promise<void>
  /** A letter, a fax, an attachment. */
  putFile(subject: Subject, file: ChartFile): Promise<void>
  /** A note of a few sentences. */
  putNote(subject: Subject, note: ChartNote): Promise<void>
}
