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
} from '@pawl/base/setting-types'
import { connectorSettings } from '@pawl/connector/connector-settings'
import { pdfPackages } from '@pawl/base/optional-packages'
import { parseJson } from '@pawl/base/parse-json'
import { documentKinds, documentsOf, storedTypes } from './chart-types.ts'
import { encounterRule } from './encounter-rule.ts'
import { filingSettings } from '../filing.ts'
import { type DocumentOptions, type NarrativeFormat, narrativeFormats } from './mapping/context.ts'
import { profileNames, profileOverrides, type VendorProfile } from './profiles/profile.ts'
import { profileAsSet } from './profiles/vendor-profiles.ts'
import type { Strategies } from './plans.ts'
import { strategies } from './strategy.ts'

/** Field of the service that identifies the patient in the chart. */
const patientFields = ['internal_id', 'mrn', 'fhir_id'] as const
export type PatientField = (typeof patientFields)[number]

/** Default author of documents. */
const defaultAuthor = 'Prior authorization service'

/** Form of documents as set; without formats, the chart's profile chooses. */
export type DocumentSettings = Omit<DocumentOptions, 'formats' | 'taken'> & Partial<Pick<DocumentOptions, 'formats'>>

/** Default form of documents. */
export const defaultDocuments: DocumentSettings = { author: { display: defaultAuthor } }

/** The default of FHIR_IDENTIFIER_BASE, to be replaced before the first write. */
const exampleIdentifierBase = 'https://pawl.example/identifiers'

/** `Type=strategy` or `DocumentReference/kind=strategy`, separated by commas. */
const chosenStrategies = z.string().transform((text, context) => {
  const chosen: Strategies = {}
  const fault = (message: string) => context.addIssue({ code: 'custom', message })
  for (const entry of text.split(',').map((each) => each.trim())) {
    const [named = '', word, ...rest] = entry.split('=').map((part) => part.trim())
    const [type, kind, ...deeper] = named.split('/')
    const strategy = strategies.find((each) => each === word)
    const stored = storedTypes.find((each) => each === type)
    const kinds = kind === 'fax' ? faxes : documentKinds.filter((each) => each === kind)
    if (stored === undefined) fault(`"${entry}" names no type; types are ${storedTypes.join(', ')}`)
    else if (kind !== undefined && (stored !== 'DocumentReference' || deeper.length > 0))
      fault(`"${entry}": only documents have kinds, as in DocumentReference/fax=skip`)
    else if (kind !== undefined && kinds.length === 0)
      fault(`"${entry}" names no kind of document; kinds are fax, ${documentKinds.join(', ')}`)
    else if (strategy === undefined || rest.length > 0)
      fault(`"${entry}" names no strategy; strategies are ${strategies.join(', ')}`)
    else for (const written of kind === undefined ? [stored] : kinds.map(documentsOf)) chosen[written] = strategy
  }
  return chosen
})

/** Both kinds of `fax`. */
const faxes = ['fax_sent', 'fax_received'] as const

/** `system|code|text`, the text optional. */
export const coding = z
  .string()
  .regex(/^[^|\s]+\|[^|\s]+(\|[^|]+)?$/, 'must be system|code or system|code|text')
  .transform((value) => {
    const [system = '', code = '', text] = value.split('|')
    return { system, code, text }
  })

/** JSON of parts that replace a profile's: a fault names its path and no value. */
const overrides = z.string().transform((text, context) => {
  const parsed = profileOverrides.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  for (const { path, message, ...issue } of parsed.error.issues) {
    const at = path.join('.')
    if ('keys' in issue)
      for (const key of issue.keys)
        context.addIssue({ code: 'custom', message: `${[...path, key].join('.')} is no part of a profile` })
    else
      context.addIssue({ code: 'custom', message: at === '' ? 'must be a JSON object of types' : `${at} ${message}` })
  }
  return z.NEVER
})

const shape = {
  FHIR_BASE_URL: httpAddress
    .optional()
    .describe('FHIR R4 base address of the EHR.')
    .meta({ isBase: true, isOutward: true }),
  FHIR_TOKEN: token
    .optional()
    .describe('Bearer token for the EHR; absent, and without FHIR_CLIENT_ID: none is sent.')
    .meta({ secret: 'issued' }),
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
    .optional()
    .describe(
      'Scopes that pawl requests, separated by spaces; absent: the least for FHIR_PROFILE and the settings below, in SMART 2. Servers of SMART version 1 use system/Task.read, system/Task.write and the like.',
    ),
  FHIR_TOKEN_URL: httpAddress
    .optional()
    .describe(
      "The EHR's token endpoint; absent: the one that it names in .well-known/smart-configuration under FHIR_BASE_URL.",
    )
    .meta({ isOutward: true }),
  FHIR_IDENTIFIER_BASE: httpAddress
    .default(exampleIdentifierBase)
    .describe(
      "Base of the identifier systems that pawl's records carry in the EHR; set it to an address of yours before the first write, then keep it.",
    )
    .meta({ isBase: true }),
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
      'System of that identifier, such as urn:oid:1.2.3 or an address; absent: any. It excludes equal numbers of other systems.',
    ),
  FHIR_PATIENT_CHECK_BIRTH_DATE: yesOrNo('true').describe(
    'Whether the birth dates of chart and request must agree, where both are known: true or false.',
  ),
  FHIR_STRATEGIES: chosenStrategies
    .optional()
    .describe(
      'How types are written, overriding the capabilities that the chart declares, such as Task=skip,DocumentReference/fax=skip: conditional-update, search, remember, create or skip. Kinds of documents are prior-authorization, benefit-verification, message, note, letter, fax (fax_sent, fax_received), attachment and other. npm run pawl -- ehr check shows the result.',
    ),
  FHIR_PROFILE: oneOf(profileNames)
    .optional()
    .describe(
      'Demands of the chart beyond FHIR R4: r4, us-core, epic, oracle-health, canvas, athenapractice or medplum; absent: recognised by /metadata, else r4.',
    ),
  FHIR_PROFILE_OVERRIDES: overrides
    .optional()
    .describe(
      'Parts of the profile that this chart has otherwise, as JSON by type and part, such as {"DocumentReference":{"docStatus":["final"],"period":true,"category":null}}; null: not demanded. docs/ehr.md lists the parts; settings of their own, such as FHIR_DOCUMENT_TYPE, come before it.',
    ),
  FHIR_ENCOUNTER: encounterRule
    .optional()
    .describe(
      'Which encounter of the patient documents are filed under: newest-open, newest:30d for the newest that began within 30 days, either with :prescriber for those of the prescriber alone, or create for one that pawl creates, where the chart takes encounters; absent: none, and where the chart demands one, the work is parked.',
    ),
  FHIR_DOCUMENT_FORMATS: commaSeparated
    .pipe(z.array(oneOf(narrativeFormats)))
    .optional()
    .describe(
      "Content types of a document, each a separate attachment: text/plain, application/xhtml+xml, text/html, application/pdf, text/rtf or application/rtf; absent: the best for the chart's profile, else text/plain and application/xhtml+xml. PDF needs the packages pdfkit and open-sans-fonts.",
    ),
  FHIR_DOCUMENT_TYPE: coding
    .optional()
    .describe(
      "The chart's own type for documents, as system|code or system|code|text; absent: that of the chart's profile, else LOINC 51851-4, Administrative note.",
    ),
  FHIR_DOCUMENT_AUTHOR: z
    .string()
    .default(defaultAuthor)
    .describe(
      "Author of documents: a reference in the chart, such as Organization/123, a name, or prescriber, found by NPI. Where the chart takes practitioners alone, that of pawl's service account, such as Practitioner/123, who is then reviewer, requester of tasks and sender of messages, too.",
    ),
  FHIR_DOCUMENT_SIGNER: z
    .string()
    .regex(/^Practitioner\/[A-Za-z0-9.-]{1,64}$/, 'must be a reference such as Practitioner/123')
    .optional()
    .describe(
      'The practitioner who answers for documents (authenticator), such as Practitioner/123: settled ones then count as final; absent: as preliminary, since nobody signed, where the chart takes that.',
    ),
  FHIR_MESSAGE_RECIPIENT: z
    .string()
    .regex(
      /^(Practitioner|PractitionerRole|Group|Organization|CareTeam)\/[A-Za-z0-9.-]{1,64}$/,
      'must be a reference such as Group/123',
    )
    .optional()
    .describe(
      'Recipient of messages in the chart, if the chart requires one: a reference such as Group/123 or Practitioner/5.',
    ),
  ...filingSettings,
  EHR_VERIFY_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 02:00')
    .optional()
    .describe(
      'Time of day (setting TZ), such as 02:00, at which one worker reads back from the chart what the service told since the night before; a difference opens an alert. Absent: never.',
    ),
  FHIR_REVIEW_ACTION_CODES: yesOrNo('true').describe(
    'Whether determinations carry review action codes of X12 (list 306), which are licensed: true or false.',
  ),
}

/** Settings of a chart that speaks FHIR. */
export const fhirSettings = connectorSettings(shape, {
  system: 'ehr',
  credentials: ['FHIR_TOKEN', 'FHIR_KEY_FILES'],
  check: checkFhir,
  warn({ FHIR_TOKEN, FHIR_BASE_URL, FHIR_IDENTIFIER_BASE }, isProduction) {
    if (FHIR_BASE_URL === undefined)
      return FHIR_TOKEN === undefined
        ? []
        : [{ says: 'FHIR_TOKEN is set, but FHIR_BASE_URL is not', todo: 'Set FHIR_BASE_URL, too.' }]
    if (!isProduction || FHIR_IDENTIFIER_BASE !== exampleIdentifierBase) return []
    return [
      {
        says: 'FHIR_IDENTIFIER_BASE is the example: set an address of your own before the first write to the chart',
        todo: 'Set it to an address that your organization owns, then keep it: records are found again by it.',
      },
    ]
  },
  login({ FHIR_CLIENT_ID, FHIR_TOKEN }) {
    if (FHIR_CLIENT_ID !== undefined) return 'to the EHR with SMART Backend Services'
    return `to the EHR with ${FHIR_TOKEN === undefined ? 'no credentials' : 'a bearer token'}`
  },
})

/** Values to open a chart with; settings with a default are optional. */
export type FhirSettings = Partial<ValuesOf<typeof shape>>

function checkFhir({ given, needed, installed, fault }: GivenSettings<keyof typeof shape>): void {
  const { FHIR_DOCUMENT_FORMATS: formats, FHIR_PROFILE, FHIR_PROFILE_OVERRIDES = '{}' } = given
  const name = profileNames.find((each) => each === FHIR_PROFILE)
  const profile = profileAsSet([], { name, overrides: overrides.safeParse(FHIR_PROFILE_OVERRIDES).data })
  if (formats?.includes(pdf) === true) installed('FHIR_DOCUMENT_FORMATS', pdfPackages)
  else if (formats === undefined && documentsFor(defaultDocuments, profile).formats.includes(pdf))
    installed(name === undefined ? 'FHIR_PROFILE_OVERRIDES' : 'FHIR_PROFILE', pdfPackages)
  if (given.FHIR_CLIENT_ID === undefined) return
  needed('FHIR_BASE_URL', 'FHIR_CLIENT_ID identifies pawl there')
  needed('FHIR_KEY_FILES', 'FHIR_CLIENT_ID authenticates with a key: pawl keys new-fhir makes one')
  if (given.FHIR_TOKEN !== undefined)
    fault('FHIR_TOKEN: FHIR_CLIENT_ID fetches tokens by itself; remove one of the two')
}

/** Form of documents by the settings. */
export function documentOptions(settings: FhirSettings): DocumentSettings {
  const { FHIR_DOCUMENT_TYPE: type, FHIR_DOCUMENT_AUTHOR: author = defaultAuthor } = settings
  const { FHIR_DOCUMENT_FORMATS: formats, FHIR_DOCUMENT_SIGNER: signer } = settings
  const isByPrescriber = author === 'prescriber'
  const named = /^\w+\/[A-Za-z0-9.-]{1,64}$/.test(author) ? { reference: author } : { display: author }
  return {
    ...(formats && { formats }),
    author: isByPrescriber ? { display: defaultAuthor } : named,
    ...(isByPrescriber && { isByPrescriber }),
    ...(signer !== undefined && { signer: { reference: signer, type: 'Practitioner' } }),
    type: type && {
      coding: [{ system: type.system, code: type.code }],
      ...(type.text !== undefined && { text: type.text }),
    },
  }
}

/** Content types of a document where the chart's profile names none. */
const usualFormats: readonly NarrativeFormat[] = ['text/plain', 'application/xhtml+xml']

const pdf: NarrativeFormat = 'application/pdf'

/** Form of documents for a chart of this profile: the best formats that it takes, unless they are set. */
export function documentsFor({ formats, ...rest }: DocumentSettings, profile: VendorProfile): DocumentOptions {
  const { contentTypes, attachments } = profile.DocumentReference
  const best = contentTypes?.is.flatMap((type) => narrativeFormats.find((format) => format === type) ?? []) ?? []
  // One that the chart prefers is enough; several say the same.
  const chosen = formats ?? (best.length === 0 ? usualFormats : best.slice(0, 1))
  return { ...rest, formats: chosen.slice(0, attachments?.is), taken: contentTypes?.is }
}
