import type { FhirAuthSettings } from './auth/token-provider-from.ts'
import type { DocumentOptions, NarrativeFormat } from './mapping/context.ts'
import type { PatientField } from './patient-resolver.ts'
import type { StoredType } from './chart-types.ts'
import type { Strategy } from './strategy.ts'

/** The settings that the chart is reached by. */
export interface FhirSettings extends FhirAuthSettings {
  NODE_ENV: string
  FHIR_BASE_URL?: string | undefined
  FHIR_IDENTIFIER_BASE: string
  FHIR_PATIENT_FIELD?: PatientField | undefined
  FHIR_PATIENT_SYSTEM?: string | undefined
  FHIR_PATIENT_CHECK_BIRTH_DATE?: boolean | undefined
  FHIR_STRATEGIES?: Partial<Record<StoredType, Strategy>> | undefined
  FHIR_DOCUMENT_FORMATS?: readonly NarrativeFormat[] | undefined
  FHIR_DOCUMENT_TYPE?: { system: string; code: string; text?: string | undefined } | undefined
  FHIR_DOCUMENT_AUTHOR?: string | undefined
  FHIR_MESSAGE_RECIPIENT?: string | undefined
  FHIR_REVIEW_ACTION_CODES?: boolean | undefined
}

/** Who writes the documents, where the settings name nobody. */
const defaultAuthor = 'Prior authorization service'

/** Documents as a chart takes them that asks for nothing special. */
export const defaultDocuments: DocumentOptions = {
  formats: ['text/plain', 'application/xhtml+xml'],
  author: { display: defaultAuthor },
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
