import { Hl7Message } from '@medplum/core'
import { foreign } from '../../../../test/foreign/load.ts'

/** Content of an MDM message, as read by any library. */
export interface ReadMdm {
  event: string
  structure: string
  version: string
  controlId: string
  /** MSH-15 and MSH-16: which acknowledgements are asked for. */
  acceptMode: string
  applicationMode: string
  patientNumber: string
  lastName: string
  firstName: string
  birthDate: string
  sex: string
  documentType: string
  documentNumber: string
  parentNumber: string
  completion: string
  availability: string
  /** TXA-22: id, family and given name; and when. */
  signer: string
  signedAt: string
  /** OBX-3.4 of the first OBX: the kind of document. */
  kind: string
  /** Of a file, such as `application/pdf`; '' for text. */
  contentType: string
  /** OBX-5 of each OBX; for ED its last component. */
  values: string[]
}

/** All but the values, as `at` reads them. */
function fieldsOf(at: (segment: string, field: number, component?: number) => string): Omit<ReadMdm, 'values'> {
  return {
    event: at('MSH', 9, 2),
    structure: at('MSH', 9, 3),
    version: at('MSH', 12),
    controlId: at('MSH', 10),
    acceptMode: at('MSH', 15),
    applicationMode: at('MSH', 16),
    patientNumber: at('PID', 3),
    lastName: at('PID', 5),
    firstName: at('PID', 5, 2),
    birthDate: at('PID', 7),
    sex: at('PID', 8),
    documentType: at('TXA', 2),
    documentNumber: at('TXA', 12),
    parentNumber: at('TXA', 13),
    completion: at('TXA', 17),
    availability: at('TXA', 19),
    signer: [1, 2, 3]
      .map((part) => at('TXA', 22, part))
      .join('^')
      .replace(/^\^+$/, ''),
    signedAt: at('TXA', 22, 15),
    kind: at('OBX', 3, 4),
    contentType: at('OBX', 2) === 'ED' ? `${at('OBX', 5, 2)}/${at('OBX', 5, 3)}` : '',
  }
}

/** By `@medplum/core`, which leaves escapes as they are. */
export function readByMedplum(text: string): ReadMdm {
  const message = Hl7Message.parse(text)
  const at = (segment: string, field: number, component = 1) =>
    unescape(message.getSegment(segment)?.getComponent(field, component) ?? '')
  return {
    ...fieldsOf(at),
    values: message
      .getAllSegments('OBX')
      .map((obx) => unescape(obx.getComponent(5, obx.getComponent(2, 1) === 'ED' ? 5 : 1) ?? '')),
  }
}

interface Field {
  getValue(component?: number): unknown
}
interface Segment {
  segmentType: string
  field(field: number): Field
}
interface Library {
  HL7Message: new () => {
    parse(text: string): void
    getSegment(name: string): Segment | undefined
    segments: Segment[]
  }
}

const library = await foreign<Library>('hl7v2')

/** Both readers, or the first alone where `hl7v2` is not installed. */
export const readers = [readByMedplum, ...(library === undefined ? [] : [readByHl7v2(library)])]

/** By `hl7v2`, which knows the types of each version's fields; their dates come as dates. */
function readByHl7v2({ HL7Message }: Library): (text: string) => ReadMdm {
  return (text) => readFrom(new HL7Message(), text)
}

function readFrom(message: InstanceType<Library['HL7Message']>, text: string): ReadMdm {
  message.parse(withHexadecimalLineEnds(text))
  const at = (segment: string, field: number, component = 1) => {
    const value: unknown = message.getSegment(segment)?.field(field).getValue(component)
    return shown(value)
  }
  const observations = message.segments.filter(({ segmentType }) => segmentType === 'OBX')
  return {
    ...fieldsOf(at),
    birthDate: at('PID', 7).replaceAll('-', ''),
    values: observations.map((obx) => shown(obx.field(5).getValue(obx.field(2).getValue() === 'ED' ? 5 : 1))),
  }
}

/** `hl7v2` knows the hexadecimal escape of a line end, and not `\.br\`. */
function withHexadecimalLineEnds(text: string): string {
  return text
    .split('\r')
    .map((line) =>
      line.startsWith('MSH')
        ? line
        : line.replaceAll(/\\([^\\]*)\\/g, (escape, name) => (name === '.br' ? '\\X0A\\' : escape)),
    )
    .join('\r')
}

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 'yyyy-mm-dd'.length)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const escapes: Readonly<Record<string, string>> = { F: '|', S: '^', T: '&', R: '~', E: '\\', '.br': '\n' }

/** HL7 v2.5.1, 2.7.1. */
function unescape(text: string): string {
  return text.replaceAll(/\\([FSTRE]|\.br)\\/g, (_, name: string) => escapes[name] ?? '')
}
