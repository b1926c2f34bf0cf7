import { z } from 'zod'
import {
  commaSeparated,
  type GivenSettings,
  httpAddress,
  list,
  oneOf,
  token,
  type ValuesOf,
  yesOrNo,
} from '../../../base/setting-types.ts'
import { storedTypes } from './chart-types.ts'
import { type DocumentOptions, narrativeFormats } from './mapping/context.ts'
import { strategies } from './strategy.ts'

/** The least that covers what pawl writes: to find the patient, and to search, create and update resources of its own. */
export const leastFhirScopes = [
  'system/Patient.rs',
  ...storedTypes.toSorted().map((type) => `system/${type}.crus`),
].join(' ')

/** Which of the service's fields says who the patient is in the chart. */
const patientFields = ['internal_id', 'mrn', 'fhir_id'] as const
export type PatientField = (typeof patientFields)[number]

/** The author of documents unless the settings name one. */
const defaultAuthor = 'Prior authorization service'

/** Documents as a chart takes them that asks for nothing special. */
export const defaultDocuments: DocumentOptions = { formats: narrativeFormats, author: { display: defaultAuthor } }

/** The default of FHIR_IDENTIFIER_BASE, to be replaced before the first write. */
export const exampleIdentifierBase = 'https://pawl.example/identifiers'

/** `Type=strategy`, separated by commas. */
const strategyByType = z
  .string()
  .transform((text) => Object.fromEntries(text.split(',').map((each) => each.split('=').map((part) => part.trim()))))
  .pipe(z.partialRecord(oneOf(storedTypes), oneOf(strategies)))

/** `system|code|text`, the text optional. */
const coding = z
  .string()
  .regex(/^[^|\s]+\|[^|\s]+(\|[^|]+)?$/, 'must be system|code or system|code|text')
  .transform((value) => {
    const [system = '', code = '', text] = value.split('|')
    return { system, code, text }
  })

/** The settings that the chart is reached by. */
export const fhirSettings = {
  FHIR_BASE_URL: httpAddress.optional().describe('FHIR R4 base address of the EHR.'),
  FHIR_TOKEN: token.optional().describe('Bearer token for the EHR; absent, and without FHIR_CLIENT_ID: none is sent.'),
  FHIR_CLIENT_ID: token
    .optional()
    .describe('In place of FHIR_TOKEN, SMART Backend Services: the id under which the EHR knows pawl.'),
  FHIR_KEY_FILES: list((file) => file !== '', 'must be paths of files, separated by commas')
    .optional()
    .describe(
      'Required with FHIR_CLIENT_ID: files with one private JWK each (pawl keys new-fhir), separated by commas. The first signs; the public parts of all are served at /.well-known/jwks.json on the public listener, so a receiver needs them, too.',
    ),
  FHIR_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes, separated by single spaces')
    .default(leastFhirScopes)
    .describe(
      'What pawl asks to be allowed, separated by spaces; the default is the least that covers what it writes. Servers of SMART version 1 take system/Task.read, system/Task.write and the like.',
    ),
  FHIR_TOKEN_URL: httpAddress
    .optional()
    .describe(
      "The EHR's token endpoint; absent: the one that it names in .well-known/smart-configuration under FHIR_BASE_URL.",
    ),
  FHIR_IDENTIFIER_BASE: httpAddress
    .default(exampleIdentifierBase)
    .describe(
      "Base of the identifier systems that pawl's records carry in the EHR; set it to an address of yours before the first write, then keep it.",
    ),
  FHIR_PATIENT_FIELD: oneOf(patientFields)
    .default('internal_id')
    .describe(
      "Which field of a request's patient finds the patient in the chart: internal_id or mrn (an identifier there), or fhir_id (internal_id is the id of the chart's Patient).",
    ),
  FHIR_PATIENT_SYSTEM: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be the address or URN of an identifier system')
    .optional()
    .describe(
      'System of that identifier, such as urn:oid:1.2.3 or an address; absent: any. With it no other number can be mistaken for it.',
    ),
  FHIR_PATIENT_CHECK_BIRTH_DATE: yesOrNo('true').describe(
    'Whether the birth dates of chart and request must agree, where both are known: true or false.',
  ),
  FHIR_STRATEGIES: strategyByType
    .optional()
    .describe(
      'How types are written in place of what the chart says that it takes, such as Task=skip,DocumentReference=create: conditional-update, search, remember, create or skip. npm run pawl -- ehr check shows the plan.',
    ),
  FHIR_DOCUMENT_FORMATS: commaSeparated
    .pipe(z.array(oneOf(narrativeFormats)))
    .default([...narrativeFormats])
    .describe('Content types of a document, each an attachment of its own; some charts take one alone.'),
  FHIR_DOCUMENT_TYPE: coding
    .optional()
    .describe(
      "The chart's own type for documents, as system|code or system|code|text; absent: LOINC 51851-4, Administrative note.",
    ),
  FHIR_DOCUMENT_AUTHOR: z
    .string()
    .default(defaultAuthor)
    .describe('Author of documents: a reference in the chart, such as Organization/123, or a name.'),
  FHIR_MESSAGE_RECIPIENT: z
    .string()
    .regex(
      /^(Practitioner|PractitionerRole|Group|Organization|CareTeam)\/[A-Za-z0-9.-]{1,64}$/,
      'must be a reference such as Group/123',
    )
    .optional()
    .describe(
      'Who messages are addressed to in the chart: a reference such as Group/123 or Practitioner/5, where the chart asks for one.',
    ),
  FHIR_REVIEW_ACTION_CODES: yesOrNo('true').describe(
    'Whether determinations carry review action codes of X12 (list 306), which are licensed: true or false.',
  ),
}

/** Values to open a chart with; those with a default may be absent. */
export type FhirSettings = Partial<ValuesOf<typeof fhirSettings>>

export function checkFhir({ given, needed, fault }: GivenSettings<keyof typeof fhirSettings>): void {
  if (given.FHIR_CLIENT_ID === undefined) return
  needed('FHIR_BASE_URL', 'FHIR_CLIENT_ID is who pawl is there')
  needed('FHIR_KEY_FILES', 'FHIR_CLIENT_ID proves itself with a key: pawl keys new-fhir makes one')
  if (given.FHIR_TOKEN !== undefined)
    fault('FHIR_TOKEN: FHIR_CLIENT_ID fetches tokens by itself; take one of the two out')
}

/** How the settings want documents. */
export function documentOptions(settings: FhirSettings): DocumentOptions {
  const { FHIR_DOCUMENT_TYPE: type, FHIR_DOCUMENT_AUTHOR: author = defaultAuthor } = settings
  const { FHIR_DOCUMENT_FORMATS: formats = defaultDocuments.formats } = settings
  return {
    formats,
    author: /^\w+\/[A-Za-z0-9.-]{1,64}$/.test(author) ? { reference: author } : { display: author },
    type: type && {
      coding: [{ system: type.system, code: type.code }],
      ...(type.text !== undefined && { text: type.text }),
    },
  }
}
