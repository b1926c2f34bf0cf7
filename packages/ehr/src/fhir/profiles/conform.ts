import type {
  Attachment,
  CodeableConcept,
  Communication,
  DocumentReference,
  Reference,
  Task,
  TaskOutput,
} from 'fhir/r4.js'
import type { StoredByType, StoredType } from '../chart-types.ts'
import { attachmentOf } from '../mapping/narrative-attachment.ts'
import { inWords } from '../../narrative/narrative.ts'
import { filled, join, toDay } from '../../primitives.ts'
import type {
  DemandedExtension,
  DocumentDemands,
  MessageDemands,
  PractitionerDemand,
  TaskDemands,
  VendorProfile,
} from './profile.ts'
import { demandsOf } from './vendor-profiles.ts'

/** References of the chart that a profile may demand. */
export interface Parties {
  encounter?: Reference | undefined
  /** The prescriber, or the practitioner whom a setting names. */
  practitioner?: Reference | undefined
  /** The practitioner who counts as author: the prescriber only where a setting says so. */
  author?: Reference | undefined
}

type Conform<T extends StoredType> = (
  resource: StoredByType[T],
  profile: VendorProfile,
  parties: Parties,
) => StoredByType[T]

const conforming: { [T in StoredType]?: Conform<T> } = {
  DocumentReference: (document, { DocumentReference: demands }, parties) => conformDocument(document, demands, parties),
  Task: (task, { Task: demands }, parties) => conformTask(task, demands, parties),
  Communication: (message, { Communication: demands }, parties) => conformMessage(message, demands, parties),
}

/** A mapped resource as the profile demands it, with the encounter that was found. Idempotent. */
export function conform<T extends StoredType>(
  type: T,
  resource: StoredByType[T],
  profile: VendorProfile,
  parties: Parties,
): StoredByType[T] {
  const isDemanding =
    Object.keys(demandsOf(profile, type)).length > 0 || parties.encounter !== undefined || parties.author !== undefined
  return isDemanding ? (conforming[type]?.(resource, profile, parties) ?? resource) : resource
}

/** How resources of a type name a Practitioner of the chart as author or sender; undefined: not at all. */
export function authorDemand(
  { DocumentReference, Communication }: VendorProfile,
  type: StoredType,
): PractitionerDemand | undefined {
  if (type === 'DocumentReference') return DocumentReference.author?.is
  return type === 'Communication' ? Communication.sender?.is : undefined
}

/** How resources of a type name a Practitioner of the chart in other roles; undefined: not at all. */
export function practitionerDemand(
  { DocumentReference, Task }: VendorProfile,
  type: StoredType,
): PractitionerDemand | undefined {
  const { authenticator, extensions } = DocumentReference
  const demands: Partial<Record<StoredType, readonly (PractitionerDemand | undefined)[]>> = {
    DocumentReference: [authenticator?.is, hasReviewer(extensions?.is) ? 'demanded' : undefined],
    Task: [Task.requester?.is],
  }
  return (['demanded', 'if-known'] as const).find((demand) => demands[type]?.includes(demand))
}

function hasReviewer(extensions: readonly DemandedExtension[] = []): boolean {
  return extensions.some(({ from }) => from === 'practitioner')
}

function conformDocument(document: DocumentReference, demands: DocumentDemands, parties: Parties): DocumentReference {
  const { attachments, charset, docStatus, period, author, authenticator, type, category } = demands
  const { encounter, practitioner } = parties
  const { date, docStatus: stated } = document
  const context = {
    ...document.context,
    ...(encounter && { encounter: [encounter] }),
    ...(period && date !== undefined && { period: { end: date } }),
  }
  return {
    ...document,
    ...(docStatus && { docStatus: docStatus.is.find((each) => each === stated) ?? docStatus.is[0] }),
    ...(type && { type: type.is }),
    ...(category && { category: [category.is] }),
    ...((author ?? parties.author) && { author: parties.author && [parties.author] }),
    ...(authenticator && { authenticator: document.authenticator ?? practitioner }),
    ...(demands.extensions && { extension: extensionsOf(document, demands.extensions.is, practitioner) }),
    ...(demands.description && { description: demands.description.is }),
    content: document.content
      .slice(0, attachments?.is)
      .map((each) =>
        charset === undefined ? each : { ...each, attachment: withCharset(each.attachment, charset.is) },
      ),
    ...(Object.keys(context).length > 0 && { context }),
  }
}

function extensionsOf(
  { date, description }: DocumentReference,
  demanded: readonly DemandedExtension[],
  practitioner: Reference | undefined,
): DocumentReference['extension'] {
  const values = {
    date: { valueDate: date && toDay(date) },
    practitioner: { valueReference: practitioner },
    title: { valueString: description },
  }
  return demanded.map(({ from, ...fixed }) => ({ ...fixed, ...(from && values[from]) }))
}

/** MIME types of text. */
export const textual = /^text\/|[/+]xml$|\/rtf$/

function withCharset(attachment: Attachment, charset: string): Attachment {
  const { contentType } = attachment
  // A file may name its charset already.
  const [essence = ''] = contentType?.split(';') ?? []
  return textual.test(essence) ? { ...attachment, contentType: `${essence};charset=${charset}` } : attachment
}

function conformTask(task: Task, demands: TaskDemands, { practitioner }: Parties): Task {
  const { statuses, intent, requester, owner, isTextual } = demands
  const isOfChart = task.owner?.reference?.startsWith('Practitioner/') === true
  return {
    ...task,
    status: statuses?.is[task.status] ?? task.status,
    ...(intent && { intent: intent.is }),
    ...(requester && { requester: practitioner }),
    ...(owner && !isOfChart && { owner: undefined }),
    ...(isTextual && { description: wordsOf(task), input: labelsOf(task) }),
  }
}

/** Title, drug, state, reasons and results, a line each. */
function wordsOf({ code, description = '', businessStatus, statusReason, reasonCode, input = [], output = [] }: Task) {
  const title = description.startsWith(code?.text ?? '') ? undefined : code?.text
  const said = description.split('\n')
  const state = businessStatus?.text === reasonCode?.text ? undefined : businessStatus?.text
  const lines = [
    ...input.filter(({ type }) => type.text !== label && type.text !== 'Drug').map(lineOf),
    state && `Status: ${inWords(state)}`,
    reasonCode?.text && `Reason: ${inWords(reasonCode.text)}`,
    statusReason && `Reason: ${textOf(statusReason)}`,
    ...output.map(lineOf),
  ]
  return join([title, description, ...lines.filter((line) => line === undefined || !said.includes(line))], '\n')
}

const label = 'label'

/** Labels by which work lists filter. */
function labelsOf({ code, input = [] }: Task): Task['input'] {
  const held = input.filter(({ type }) => type.text === label)
  return code?.text === undefined ? filled(held) : [{ type: { text: label }, valueString: code.text }]
}

function lineOf({ type, ...value }: TaskOutput): string {
  const { valueString, valueBoolean, valueCodeableConcept, valuePeriod, valueDateTime } = value
  const words =
    (valueString && shown(valueString)) ??
    valueDateTime ??
    (valueBoolean === undefined ? undefined : valueBoolean ? 'yes' : 'no') ??
    (valueCodeableConcept && textOf(valueCodeableConcept)) ??
    join([valuePeriod?.start, valuePeriod?.end && `to ${valuePeriod.end}`], ' ')
  return join([type.text, words], ': ') ?? ''
}

/** A code of the service in words, followed by its text; a code of other systems as it is. */
function textOf({ text, coding }: CodeableConcept): string | undefined {
  const code = coding?.[0]?.code
  return join([code && shown(code), text === code ? undefined : text && shown(text)], ': ')
}

function shown(value: string): string {
  return /^[a-z]+(_[a-z]+)*$/.test(value) ? inWords(value) : value
}

function conformMessage(message: Communication, demands: MessageDemands, { author }: Parties): Communication {
  const { category, sender, attachment } = demands
  return {
    ...message,
    ...(category && { category: [category.is] }),
    ...(sender && { sender: author }),
    ...(attachment && { payload: [{ contentAttachment: wordsAsAttachment(message, attachment.is) }] }),
  }
}

/** Text of a message, with time and parties first: the chart drops them, and they tell equal messages apart. */
function wordsAsAttachment({ partOf, sent, sender, recipient = [], payload = [] }: Communication, contentType: string) {
  const id = partOf?.[0]?.identifier?.value
  const from = sender?.display && `from ${sender.display}`
  const to = recipient[0]?.display && `to ${recipient[0].display}`
  const words = payload.map(({ contentString, contentReference }) => contentString ?? contentReference?.reference)
  const text = join([join(['Message', sent, from, to], ' '), ...words], '\n') ?? ''
  return withCharset(
    attachmentOf(Buffer.from(text, 'utf8'), contentType, join(['Message about prior authorization', id], ' ') ?? ''),
    'utf-8',
  )
}
