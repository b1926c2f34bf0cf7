import type { Message } from 'node-hl7-client'
import { isDay } from '@pawl/base/days'
import type { Patient, Provider } from 'pawl-client/schemas/people'
import type { DocumentContent } from './document-content.ts'
import { fitText } from './fit-text.ts'
import type { Charset, Hl7Version } from './settings.ts'

/** MDM events: a new document, its replacement, and its end. */
export type MdmEvent = 'T02' | 'T10' | 'T11'

/** Options shared by the messages of one connection. Designators are `name` or `name^universal id^type`. */
export interface MdmOptions {
  version: Hl7Version
  charset: Charset
  sendingApplication: string
  sendingFacility?: string | undefined
  receivingApplication?: string | undefined
  receivingFacility?: string | undefined
  /** MSH-11: production, training or debugging. */
  processingId: 'P' | 'T'
  isEnhanced: boolean
  assigningAuthority?: string | undefined
  patientNumberType: string
  /** Absent: no PV1. */
  patientClass?: string | undefined
  /** TXA-5 and TXA-9: the prescriber, or id, family and given name, separated by `^`; absent: neither, since no person wrote it. */
  author?: string | undefined
  /** TXA-17 of a settled document. */
  settledStatus: string
  /** TXA-22 of a settled document that counts as authenticated: id, family and given name, separated by `^`. */
  signer?: string | undefined
}

/** One message about one document. */
export interface MdmMessage {
  event: MdmEvent
  controlId: string
  /** TXA-12 and TXA-13. */
  number: string
  parent?: string | undefined
  /** Time of the message, in milliseconds; a repeated message keeps it. */
  at: number
  /** Time of the content, in milliseconds; absent: that of the message. */
  occurredAt?: number | undefined
  patientNumber: string
  patient: Patient | undefined
  provider: Provider | undefined
  /** TXA-2. */
  documentType: string
  /** Code, text and coding system of the kind of document. */
  loinc: readonly [code: string, text: string]
  kind: string
  title: string
  isSettled: boolean
  /** Absent for T11. */
  content?: DocumentContent | undefined
}

const genders: ReadonlyMap<string, string> = new Map([
  ['male', 'M'],
  ['female', 'F'],
  ['other', 'O'],
  ['not_specified', 'U'],
])

/** The National Provider Identifier's OID. */
const npiAuthority = 'NPI^2.16.840.1.113883.4.6^ISO'

/** Writes a message, each segment ended by CR. `node-hl7-client` builds and escapes it. */
export async function writeMdm(options: MdmOptions, mdm: MdmMessage): Promise<string> {
  const { Message } = await import('node-hl7-client')
  const { version, charset } = options
  const fit = (value: string | undefined) =>
    fitText(value ?? '', charset)
      .replaceAll(/\s+/g, ' ')
      .trim()
  const structure = mdm.event === 'T11' ? 'MDM_T01' : 'MDM_T02'
  const message = new Message({
    messageHeader: {
      msh_9_1: 'MDM',
      msh_9_2: mdm.event,
      msh_9_3: structure,
      msh_10: mdm.controlId,
      msh_11_1: options.processingId,
    },
    specification: await specificationOf(version),
  })
  const at = timestamp(mdm.at)
  const occurredAt = timestamp(mdm.occurredAt ?? mdm.at)

  setDesignator(message, 'MSH.3', options.sendingApplication)
  setDesignator(message, 'MSH.4', options.sendingFacility)
  setDesignator(message, 'MSH.5', options.receivingApplication)
  setDesignator(message, 'MSH.6', options.receivingFacility)
  message.set('MSH.7', at)
  message.set('MSH.9.3', structure)
  if (options.isEnhanced) {
    message.set('MSH.15', 'AL')
    message.set('MSH.16', 'NE')
  }
  message.set('MSH.18', charset)

  // EVN-1 was withdrawn in 2.7.
  if (version !== '2.7') message.set('EVN.1', mdm.event)
  message.set('EVN.2', at)

  const { patient, provider } = mdm
  message.set('PID.1', '1')
  message.set('PID.3.1', fit(mdm.patientNumber))
  setDesignator(message, 'PID.3.4', options.assigningAuthority)
  message.set('PID.3.5', options.patientNumberType)
  message.set('PID.5.1', fit(patient?.last_name))
  message.set('PID.5.2', fit(patient?.first_name))
  message.set('PID.5.7', 'L')
  if (isDay(patient?.date_of_birth ?? '')) setIfAny(message, 'PID.7', patient?.date_of_birth?.replaceAll('-', ''))
  setIfAny(message, 'PID.8', genders.get(patient?.gender ?? ''))

  if (options.patientClass !== undefined) {
    message.set('PV1.1', '1')
    message.set('PV1.2', options.patientClass)
  }

  message.set('TXA.1', '1')
  message.set('TXA.2', mdm.documentType)
  setIfAny(message, 'TXA.3', mdm.content?.presentation)
  const author = authorOf(options.author, provider)
  // TXA-5 is conditional on TXA-4.
  if (author !== undefined) message.set('TXA.4', occurredAt)
  message.set('TXA.6', occurredAt)
  if (author !== undefined)
    for (const field of ['TXA.5', 'TXA.9']) {
      for (const [index, part] of author.name.entries()) message.set(`${field}.${index + 1}`, fit(part))
      if (!author.hasNpi) continue
      setDesignator(message, `${field}.9`, npiAuthority)
      message.set(`${field}.10`, 'L')
      message.set(`${field}.13`, 'NPI')
    }
  setDocumentNumber(message, 'TXA.12', mdm.number, options)
  if (mdm.parent !== undefined) setDocumentNumber(message, 'TXA.13', mdm.parent, options)
  message.set('TXA.17', mdm.isSettled ? options.settledStatus : 'IP')
  if (mdm.isSettled && options.signer !== undefined) {
    for (const [index, part] of options.signer.split('^').entries()) message.set(`TXA.22.${index + 1}`, fit(part))
    message.set('TXA.22.15', at)
  }
  message.set('TXA.19', mdm.event === 'T11' ? 'CA' : 'AV')
  if (version === '2.7') message.set('TXA.25', fit(mdm.title))

  if (mdm.content !== undefined) addObservations(message, mdm, mdm.content, { at: occurredAt, fit })
  return `${message.toString()}\r`
}

/** Id, family and given name of whoever counts as author; undefined without one. */
function authorOf(
  author: string | undefined,
  provider: Provider | undefined,
): { name: readonly (string | undefined)[]; hasNpi: boolean } | undefined {
  if (author !== 'prescriber') return author === undefined ? undefined : { name: author.split('^'), hasNpi: false }
  const npi = provider?.npi?.trim() ?? ''
  return npi === '' ? undefined : { name: [npi, provider?.last_name, provider?.first_name], hasNpi: true }
}

/** One OBX for each line, for all formatted text, or for the file. */
function addObservations(
  message: Message,
  mdm: MdmMessage,
  content: DocumentContent,
  { at, fit }: { at: string; fit: (value: string | undefined) => string },
): void {
  const add = (index: number, set: (segment: ReturnType<Message['addSegment']>) => void) => {
    const obx = message.addSegment('OBX')
    obx.set('1', String(index + 1))
    obx.set('2', content.type)
    obx.set('3.1', mdm.loinc[0])
    obx.set('3.2', mdm.loinc[1])
    obx.set('3.3', 'LN')
    obx.set('3.4', mdm.kind)
    // Text begins with its title; a file has only this one.
    obx.set('3.5', content.type === 'ED' ? fit(mdm.title) : mdm.kind.replaceAll('-', ' '))
    obx.set('3.6', 'L')
    set(obx)
    obx.set('11', mdm.isSettled ? 'F' : 'P')
    obx.set('14', at)
  }
  if (content.type === 'TX')
    for (const [index, line] of content.lines.entries())
      add(index, (obx) => {
        // OBX-4 tells observations with the same OBX-3 apart (2.5.1, 7.4.2.4).
        obx.set('4', String(index + 1))
        // An OBX-5 of two quotes would delete the value (2.5.1, 2.5.3).
        obx.set('5', line === '""' ? '" "' : line)
      })
  else if (content.type === 'FT') {
    const text = content.lines.map((line) => message.escape(line)).join('\\.br\\')
    add(0, (obx) => obx.set('5', asWritten(text)))
  } else {
    const { contentType, base64 } = content
    const [type = '', subtype = ''] = contentType.split(';')[0]?.trim().split('/') ?? []
    add(0, (obx) => {
      obx.set('5.2', type)
      obx.set('5.3', subtype)
      obx.set('5.4', 'Base64')
      obx.set('5.5', base64)
    })
  }
}

/** A value that is already escaped: the library escapes only strings. */
function asWritten(escaped: string): { toString(): string } {
  return { toString: () => escaped }
}

/** Sets the parts of a designator: components of a field, or subcomponents of a component. */
function setDesignator(message: Message, path: string, designator: string | undefined): void {
  for (const [index, part] of (designator ?? '').split('^').entries())
    if (part !== '') message.set(`${path}.${index + 1}`, part)
}

function setDocumentNumber(message: Message, path: string, number: string, { sendingApplication }: MdmOptions): void {
  message.set(`${path}.1`, number)
  for (const [index, part] of sendingApplication.split('^').entries()) message.set(`${path}.${index + 2}`, part)
}

function setIfAny(message: Message, path: string, value: string | undefined): void {
  if (value !== undefined && value !== '') message.set(path, value)
}

/** Such as 20260131080000+0000. */
function timestamp(at: number): string {
  return `${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(0, 'yyyymmddhhmmss'.length)}+0000`
}

async function specificationOf(version: Hl7Version) {
  const { HL7_2_3_1, HL7_2_5_1, HL7_2_7 } = await import('node-hl7-client/hl7')
  return version === '2.3.1' ? new HL7_2_3_1() : version === '2.5.1' ? new HL7_2_5_1() : new HL7_2_7()
}
