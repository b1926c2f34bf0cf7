import { z } from 'zod'
import { connectorSettings } from '@pawl/connector/connector-settings'
import { pdfPackages } from '@pawl/base/optional-packages'
import { type GivenSettings, httpAddress, oneOf, token, type ValuesOf, yesOrNo } from '@pawl/base/setting-types'
import { codesByKind, documentKinds } from '../documents/document-kinds.ts'

/** Classes of documents that athenaOne lets a client both file and delete, by their names in its addresses. */
export const documentClasses = ['clinicaldocument', 'admin'] as const
export type DocumentClass = (typeof documentClasses)[number]

const number = z.string().regex(/^\d{1,12}$/, 'must be a number of athenaOne, such as 195900')

const shape = {
  ATHENA_BASE_URL: httpAddress
    .optional()
    .describe(
      "Address of athenaOne's API, such as https://api.platform.athenahealth.com, or https://api.preview.platform.athenahealth.com for its preview (docs/athena.md).",
    )
    .meta({ isBase: true, isOutward: true }),
  ATHENA_PRACTICE_ID: number.optional().describe('Required with ATHENA_BASE_URL: the practice, by its number.'),
  ATHENA_CLIENT_ID: token.optional().describe('Required with ATHENA_BASE_URL: the client id of pawl at athenahealth.'),
  ATHENA_CLIENT_SECRET: token
    .optional()
    .describe('Required with ATHENA_BASE_URL: the secret of that client.')
    .meta({ secret: 'issued' }),
  ATHENA_DEPARTMENT_ID: number
    .optional()
    .describe('Required with ATHENA_BASE_URL: the department that documents belong to, by its number.'),
  ATHENA_DOCUMENT_CLASS: oneOf(documentClasses)
    .default('clinicaldocument')
    .describe('Class of the documents: clinicaldocument or admin.'),
  ATHENA_DOCUMENT_SUBCLASS: codesByKind
    .optional()
    .describe(
      `Required with ATHENA_BASE_URL: subclass of the documents, as the practice files them; kinds may differ, as in INSURANCEAPPROVAL,letter=LEGAL: ${documentKinds.filter((kind) => kind !== 'staff-task').join(', ')}.`,
    ),
  ATHENA_CLOSED: yesOrNo('false').describe(
    "Whether documents go to the patient's chart closed (true), or first to the inbox of the department, where a person looks at them (false).",
  ),
  ATHENA_PATIENT_FIELD: oneOf(['internal_id', 'mrn'])
    .default('internal_id')
    .describe("Which field of a request's patient is the patient's number in athenaOne: internal_id or mrn."),
}

/** Settings of documents for athenaOne. */
export const athenaSettings = connectorSettings(shape, {
  system: 'ehr',
  credentials: ['ATHENA_CLIENT_SECRET'],
  check: checkAthena,
  login: () => 'to athenaOne with a client secret',
})

/** Values to open a connection with; settings with a default are optional. */
export type AthenaSettings = Partial<ValuesOf<typeof shape>>

function checkAthena({ given, needed, installed, fault }: GivenSettings<keyof typeof shape>): void {
  if (given.ATHENA_BASE_URL === undefined) return
  for (const name of [
    'ATHENA_PRACTICE_ID',
    'ATHENA_CLIENT_ID',
    'ATHENA_CLIENT_SECRET',
    'ATHENA_DEPARTMENT_ID',
    'ATHENA_DOCUMENT_SUBCLASS',
  ] as const)
    needed(name, 'ATHENA_BASE_URL cannot be used without it')
  const subclasses = given.ATHENA_DOCUMENT_SUBCLASS?.split(',')
  if (subclasses?.every((each) => each.includes('=')) === true)
    fault(
      'ATHENA_DOCUMENT_SUBCLASS: names no subclass for all other kinds, as INSURANCEAPPROVAL does in INSURANCEAPPROVAL,letter=LEGAL',
    )
  installed('ATHENA_BASE_URL', pdfPackages)
}
