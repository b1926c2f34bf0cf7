import { z } from 'zod'
import { connectorSettings } from '@pawl/connector/connector-settings'
import { pdfPackages } from '@pawl/base/optional-packages'
import { address, count, type GivenSettings, oneOf, type ValuesOf } from '@pawl/base/setting-types'
import { codesByKind, documentKinds } from '../documents/document-kinds.ts'

/** Versions of HL7 v2 that pawl writes. */
export const hl7Versions = ['2.3.1', '2.5.1', '2.7'] as const
export type Hl7Version = (typeof hl7Versions)[number]

/** Character sets by their names in MSH-18 (HL7 table 0211). */
export const charsets = ['UNICODE UTF-8', '8859/1', 'ASCII'] as const
export type Charset = (typeof charsets)[number]

/** Form of a narrative: an OBX for each line, one OBX of formatted text, or one PDF. */
export const contents = ['TX', 'FT', 'PDF'] as const
export type Content = (typeof contents)[number]

const acknowledgementModes = ['original', 'enhanced'] as const

const numberFields = ['internal_id', 'mrn'] as const
export type NumberField = (typeof numberFields)[number]

/** A designator such as `CLINIC` or `CLINIC^2.999.1^ISO`: name, universal id and its type. */
const designator = z
  .string()
  .regex(
    /^[^|^~\\&\s]+(\^[^|^~\\&\s]+\^[^|^~\\&\s]+)?$/,
    'must be a name, or name^universal id^type such as CLINIC^2.999.1^ISO',
  )

const code = z.string().regex(/^[\w.-]{1,30}$/, 'must be a code of up to 30 letters, digits, dots or hyphens')

const shape = {
  EHR_URL: address(['mllps:', 'mllp:'])
    .optional()
    .describe(
      'Address of an HL7 v2 listener that takes documents (MDM), mllps://host:port or mllp://host:port (docs/hl7.md). With FHIR_BASE_URL beside it, FHIR finds the patient and all documents go here.',
    )
    .meta({ isOutward: true }),
  HL7_SENDING_APPLICATION: designator
    .default('PAWL')
    .describe('Name of pawl in messages (MSH-3): a name, or name^universal id^type.'),
  HL7_SENDING_FACILITY: designator.optional().describe('Facility for which pawl sends (MSH-4), in the same form.'),
  HL7_RECEIVING_APPLICATION: designator.optional().describe('Application that receives (MSH-5), in the same form.'),
  HL7_RECEIVING_FACILITY: designator.optional().describe('Facility that receives (MSH-6), in the same form.'),
  HL7_VERSION: oneOf(hl7Versions).default('2.5.1').describe('Version of the messages: 2.3.1, 2.5.1 or 2.7.'),
  HL7_CHARSET: oneOf(charsets)
    .default('UNICODE UTF-8')
    .describe(
      'Character set of the messages (MSH-18): UNICODE UTF-8, 8859/1 or ASCII. Letters that it lacks are written without accents, other characters by their number.',
    ),
  HL7_ACK_MODE: oneOf(acknowledgementModes)
    .default('original')
    .describe('Acknowledgement mode: original (AA, AE, AR) or enhanced (CA, CE, CR), which MSH-15 and MSH-16 demand.'),
  HL7_ACK_TIMEOUT_MS: count(15_000, 120_000).describe(
    'How long pawl waits for an acknowledgement, in milliseconds; then it reconnects and repeats the message.',
  ),
  HL7_PATIENT_FIELD: oneOf(numberFields)
    .default('internal_id')
    .describe("Which field of a request's patient is the patient's number in PID-3: internal_id or mrn."),
  HL7_PATIENT_SYSTEM: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be the address or URN of an identifier system')
    .optional()
    .describe(
      "With FHIR_BASE_URL: system of the identifier in the chart's Patient that is the number in PID-3; absent: the request's.",
    ),
  HL7_ASSIGNING_AUTHORITY: designator
    .optional()
    .describe('Authority that assigned the number (PID-3.4): a name, or name^universal id^type.'),
  HL7_PATIENT_NUMBER_TYPE: code.default('MR').describe('Type of the number (PID-3.5): MR, PI or the like.'),
  HL7_PATIENT_CLASS: oneOf(['O', 'I', 'E', 'P', 'R', 'N', 'none'])
    .default('O')
    .describe('Patient class of a visit (PV1-2), such as O for outpatient; none: no PV1 is sent.'),
  HL7_DOCUMENT_TYPE: codesByKind
    .default(['CN'])
    .describe(
      `Document type (TXA-2), as the receiver files it; kinds may differ, as in CN,letter=LTR,fax=FAX: ${documentKinds.join(', ')}.`,
    ),
  HL7_REPLACEMENT: oneOf(['T10', 'T02'])
    .default('T10')
    .describe(
      'How a document that changed is sent: T10 under a new number, which names the former one in TXA-13; or T02 under the same number, for receivers that replace by it.',
    ),
  HL7_AUTHOR: z
    .string()
    .regex(/^(prescriber|[^|^~\\&\s]+(\^[^|^~\\&]+){2})$/, 'must be id^family name^given name, or prescriber')
    .optional()
    .describe(
      "Author of documents (TXA-5 and TXA-9), for receivers that demand a person: id^family name^given name of pawl's service account, or prescriber; absent: none, since no person wrote them.",
    ),
  HL7_COMPLETION_STATUS: oneOf(['DO', 'AU', 'LA'])
    .default('DO')
    .describe(
      'Completion status of a settled document (TXA-17): DO (documented, which nobody signed), AU (authenticated) or LA (legally authenticated), which need HL7_SIGNER. One that may still change is IP (in progress).',
    ),
  HL7_SIGNER: z
    .string()
    .regex(/^[^|^~\\&\s]+(\^[^|^~\\&]+){2}$/, 'must be id^family name^given name, as in 1234567893^Muster^Max')
    .optional()
    .describe(
      'The person who answers for documents that count as authenticated (TXA-22, with the time of the message): id^family name^given name. Needed with HL7_COMPLETION_STATUS=AU or LA.',
    ),
  HL7_CONTENT: oneOf(contents)
    .default('TX')
    .describe(
      'Form of documents that pawl writes: TX (an OBX for each line), FT (one OBX) or PDF. Files go as they came.',
    ),
  HL7_STAFF_TASKS: oneOf(['document', 'none'])
    .default('document')
    .describe('Whether a staff task becomes a document, which is called off when the task ends: document or none.'),
  HL7_CA_FILE: z
    .string()
    .optional()
    .describe(
      "For mllps://: PEM file of the authority that issued the listener's certificate; absent: Node's own list.",
    ),
  HL7_CERT_FILE: z
    .string()
    .optional()
    .describe("For mllps://: PEM file of pawl's client certificate, if one is asked for."),
  HL7_KEY_FILE: z.string().optional().describe('For mllps://: PEM file of the key of that certificate.'),
}

/** Settings of documents by HL7 v2. */
export const hl7Settings = connectorSettings(shape, { system: 'ehr', check: checkHl7 })

/** Values to open a connection with; settings with a default are optional. */
export type Hl7Settings = Partial<ValuesOf<typeof shape>>

function checkHl7({ given, needed, installed, fault }: GivenSettings<keyof typeof shape>): void {
  const { EHR_URL: url } = given
  if (given.HL7_CERT_FILE !== undefined) needed('HL7_KEY_FILE', 'HL7_CERT_FILE is of no use without its key')
  if (given.HL7_KEY_FILE !== undefined) needed('HL7_CERT_FILE', 'HL7_KEY_FILE is the key of a certificate')
  const { HL7_COMPLETION_STATUS: completion = 'DO' } = given
  if (completion === 'AU' || completion === 'LA')
    needed('HL7_SIGNER', 'HL7_COMPLETION_STATUS claims a signature: name the person who signs, or use DO')
  if (url === undefined || !URL.canParse(url)) return
  installed('EHR_URL', ['node-hl7-client'])
  if (given.HL7_CONTENT === 'PDF') installed('HL7_CONTENT', pdfPackages)
  const { protocol, port, username, password, pathname, search } = new URL(url)
  if (!/^mllps?:$/.test(protocol)) return
  if (port === '') fault('EHR_URL: needs the port of the listener, as in mllps://ehr.example:2575')
  if (`${username}${password}${pathname}${search}` !== '')
    fault('EHR_URL: must be host and port alone; MLLP knows no user and no path')
}
