import type { Message, Segment } from 'node-hl7-client'
import type { Verdict } from '@pawl/connector/exchange'

/** A listener's reply to a message; its codes are those of HL7 table 0008. */
export interface Acknowledgement {
  code: (typeof codes)[number]
  /** The segment and field of ERR, such as `PID-3`, if it names one that pawl sent. */
  at?: string | undefined
  /** The error's code (HL7 table 0357), if it is one of these. */
  condition?: number | undefined
}

const codes = ['AA', 'CA', 'AE', 'AR', 'CE', 'CR'] as const
const sentSegments = /^(MSH|EVN|PID|PV1|TXA|OBX)$/

/** HL7 table 0357. */
const conditions: ReadonlyMap<number, string> = new Map([
  [100, 'segment sequence error'],
  [101, 'required field missing'],
  [102, 'data type error'],
  [103, 'table value not found'],
  [104, 'value too long'],
  [198, 'cardinality error'],
  [199, 'other HL7 error'],
  [200, 'unsupported message type'],
  [201, 'unsupported event code'],
  [202, 'unsupported processing id'],
  [203, 'unsupported version id'],
  [204, 'unknown key identifier'],
  [205, 'duplicate key identifier'],
  [206, 'application record locked'],
  [207, 'application internal error'],
])
const unknownKey = 204
const duplicateKey = 205

/** Reads the acknowledgement of one message from a block, which may hold several: a refusal wins. Undefined if the block answers another message, or none. */
export function readAcknowledgement(
  block: Buffer,
  controlId: string,
  parse: (text: string) => Message,
): Acknowledgement | undefined {
  // Codes and control ids are ASCII in every character set.
  const texts = block.toString('latin1').split(/(?<=[\r\n])(?=MSH\W)/)
  const own = texts.flatMap((text) => readOne(text, controlId, parse) ?? [])
  return own.find(({ code }) => !isAccepted(code)) ?? own[0]
}

function readOne(text: string, controlId: string, parse: (text: string) => Message): Acknowledgement | undefined {
  // Parsing costs far more than this search.
  if (!text.includes(controlId)) return undefined
  let message: Message
  try {
    message = parse(text)
  } catch {
    return undefined
  }
  const [msa] = segmentsOf(message, 'MSA')
  const code = codes.find((each) => each === valueOf(msa, '1').toUpperCase())
  if (code === undefined || valueOf(msa, '2') !== controlId) return undefined
  const errors = segmentsOf(message, 'ERR')
  const at = errors.map(placeOf).find((place) => place !== undefined)
  // ERR-3 since 2.5, ERR-1.4 before; MSA-6 in 2.3.1 and 2.4.
  const condition = [...errors.flatMap((err) => [valueOf(err, '3.1'), valueOf(err, '1.4.1')]), valueOf(msa, '6.1')]
    .map(Number)
    .find((each) => conditions.has(each))
  return { code, at, condition }
}

/** ERR-2 since 2.5, ERR-1 before: segment, its number, field. */
function placeOf(err: Segment): string | undefined {
  for (const field of ['2', '1']) {
    const segment = valueOf(err, `${field}.1`)
    if (!sentSegments.test(segment)) continue
    const position = valueOf(err, `${field}.3`)
    return /^\d{1,2}$/.test(position) ? `${segment}-${position}` : segment
  }
  return undefined
}

function segmentsOf(message: Message, name: string): Segment[] {
  // The children of a message are its segments, which the types do not say.
  return message.toArray().filter((each) => each.name === name) as Segment[]
}

function valueOf(segment: Segment | undefined, path: string): string {
  try {
    return segment?.get(path).toString().trim() ?? ''
  } catch {
    // The library throws on a path through an absent component.
    return ''
  }
}

export function isAccepted(code: Acknowledgement['code']): boolean {
  return code === 'AA' || code === 'CA'
}

/** Whether the listener reports an unknown patient. */
export function isPatientUnknown({ at, condition }: Acknowledgement): boolean {
  return condition === unknownKey && at?.startsWith('PID') === true
}

/** Whether the listener reports an unknown document. */
export function isDocumentUnknown(refused: Acknowledgement): boolean {
  return refused.condition === unknownKey && !isPatientUnknown(refused)
}

/** Whether the listener reports a duplicate: the document arrived before. */
export function isDuplicate({ condition }: Acknowledgement): boolean {
  return condition === duplicateKey
}

/**
 * The verdict on a refusal. The error's code decides; without one the acknowledgement code does, by HL7 v2.5.1, 2.9.2 and 2.9.3: AE is about content, AR
 * about the system, CR about MSH-9, MSH-11 or MSH-12, CE about anything else.
 */
export function verdictOf(refused: Acknowledgement): Verdict {
  const { code, at, condition } = refused
  const what = condition === undefined ? undefined : `${condition}, ${conditions.get(condition)}`
  const where = at === undefined ? '' : ` at ${at}`
  const reason = `${code}${where}${what === undefined ? '' : ` (${what})`}`
  if (condition === 206) return { reason, retry: 'backoff', isOutage: false, mayBeOutage: false }
  if (condition === 207) return { reason, retry: 'backoff', isOutage: true, mayBeOutage: false }
  // Types, events, processing ids and versions are the same for all documents.
  if (condition !== undefined)
    return { reason, retry: 'never', isOutage: false, mayBeOutage: condition >= 200 && condition < 204 }
  if (code === 'AR' || code === 'CE') return { reason, retry: 'backoff', isOutage: true, mayBeOutage: false }
  return { reason, retry: 'never', isOutage: false, mayBeOutage: true }
}
