import { hash } from 'node:crypto'
import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import { isTerminal } from 'pawl-client/schemas/kinds'
import { isTransferEnded, type Message, type PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { ChartFile, ChartNote, StaffTask, Subject } from '../ehr.ts'
import type { Filing } from '../filing.ts'
import { documentTypes } from '../fhir/mapping/document-reference.ts'
import { benefitVerificationNarrative } from '../narrative/benefit-verification-narrative.ts'
import { fileNarrative } from '../narrative/file-narrative.ts'
import { fileTitle } from '../narrative/file-title.ts'
import { messageNarrative } from '../narrative/message-narrative.ts'
import type { Narrative } from '../narrative/narrative.ts'
import { noteNarrative } from '../narrative/note-narrative.ts'
import { prescriptionTransferNarrative } from '../narrative/prescription-transfer-narrative.ts'
import { priorAuthorizationNarrative } from '../narrative/prior-authorization-narrative.ts'
import { staffTaskNarrative } from '../narrative/staff-task-narrative.ts'
import type { DocumentKind } from './document-kinds.ts'

/** Source of a document: pawl's own words, or a file as received. */
export type DocumentSource = { narrative: Narrative } | { contentType: string; bytes: Uint8Array }

/** A document about a subject, before it has a form. */
export interface SubjectDocument {
  kind: DocumentKind
  /** Tells the documents of a kind apart within their subject. */
  key: string
  title: string
  loinc: readonly [code: string, text: string]
  isSettled: boolean
  /** ISO date-time at which the content came about, if it is known. */
  at?: string | undefined
  source: DocumentSource
}

const loincOf = ({ coding: [{ code, display }] }: (typeof documentTypes)['note' | 'payerLetter']) =>
  [code, display] as const
const note = loincOf(documentTypes.note)
const letter = loincOf(documentTypes.payerLetter)

export function priorAuthorizationDocument(
  pa: PriorAuthorization,
  states: Filing['states'] = 'every',
): SubjectDocument {
  const isSettled = isTerminal('prior_authorization', pa.status)
  return narrated('prior-authorization', priorAuthorizationNarrative(pa, states), { isSettled })
}

export function benefitVerificationDocument(bv: BenefitVerification): SubjectDocument {
  const isSettled = isTerminal('benefit_verification', bv.status)
  return narrated('benefit-verification', benefitVerificationNarrative(bv), { isSettled })
}

export function transferDocument(pa: PriorAuthorization): SubjectDocument {
  const isSettled = isTransferEnded(pa.prescription_transfer?.status)
  return narrated('prescription-transfer', prescriptionTransferNarrative(pa), { isSettled })
}

export function messageDocument(pa: PriorAuthorization, message: Message): SubjectDocument {
  return narrated('message', messageNarrative(pa, message), { key: message.id, at: message.timestamp })
}

export function staffTaskDocument(subject: Subject, task: StaffTask): SubjectDocument {
  return narrated('staff-task', staffTaskNarrative(subject, task), { key: task.key, isSettled: false })
}

/** Stands for a staff task that ends: its words are not sent. */
export function endedStaffTask(key: string | undefined): SubjectDocument {
  return narrated('staff-task', { title: 'Staff task', lead: '', sections: [] }, { key })
}

export function noteDocument(subject: Subject, chartNote: ChartNote): SubjectDocument {
  const { key, at } = chartNote
  return narrated('note', noteNarrative(subject, chartNote), { key, at })
}

const kindsOfFiles: Readonly<Record<ChartFile['kind'], DocumentKind>> = {
  letter: 'letter',
  fax_sent: 'fax',
  fax_received: 'fax',
  attachment: 'attachment',
  other: 'attachment',
}

/** `asIs`: the file itself; otherwise its text. */
export function fileDocument(subject: Subject, file: ChartFile, asIs: boolean): SubjectDocument {
  const { key, kind, at, contentType, content } = file
  return {
    kind: kindsOfFiles[kind],
    key,
    title: fileTitle(subject, file),
    loinc: kind === 'letter' ? letter : note,
    isSettled: true,
    at,
    source: asIs ? { contentType, bytes: content } : { narrative: fileNarrative(subject, file) },
  }
}

function narrated(
  kind: DocumentKind,
  narrative: Narrative,
  { key = '', at, isSettled = true }: { key?: string | undefined; at?: string | undefined; isSettled?: boolean },
): SubjectDocument {
  return { kind, key, title: narrative.title, loinc: note, isSettled, at, source: { narrative } }
}

/** Fingerprint input of a document: changes if and only if the document does. It holds patient data: only its digest may be remembered. */
export function identityOf({ title, isSettled, at, source }: SubjectDocument): string {
  const content = 'bytes' in source ? [source.contentType, hash('sha256', source.bytes)] : source.narrative
  return JSON.stringify([title, isSettled, at, content])
}
