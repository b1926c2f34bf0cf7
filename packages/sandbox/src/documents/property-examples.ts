import * as answers from './answer-examples.ts'
import type { JsonSchema } from '@pawl/base/openapi-components'
import { asSchema, branchesOf, isExemplary } from './json-schema.ts'
import * as requests from './request-examples.ts'
import type { namedSchemas } from './schemas.ts'

/** Whole requests and answers whose values become examples of their properties. */
const wholes: [keyof typeof namedSchemas, unknown][] = [
  ['Evidence', { content: 'BMI 42 on 20 February.' }],
  ['PriorAuthorizationRequest', requests.priorAuthorization],
  ['PriorAuthorizationRequest', requests.codedPriorAuthorization],
  ['BenefitVerificationRequest', requests.benefitVerification],
  ['ClinicalQualificationRequest', requests.clinicalQualification],
  ['PriorAuthorizationCancelRequest', requests.priorAuthorizationCancel],
  ['FeedbackRequest', requests.feedback],
  ['NdpSubmissionUpdateRequest', requests.ndpSubmissionUpdate],
  ['NdpSubmissionUpdate', requests.ndpSubmissionUpdate],
  ['ProviderAuthorizationRequest', requests.providerAuthorization],
  ['AuthorizedProvider', answers.authorizedProvider],
  ['ProviderLookupRequest', requests.lookupByNumber],
  ['ProviderLookupRequest', requests.lookupByName],
  ['ProviderLookup', answers.foundProviders],
  ['ProviderLookup', answers.knownProvider],
  ['PatientEnrollmentRequest', requests.patientEnrollment],
  ['PaStatusRequest', requests.paStatus],
  ['PriorAuthorization', answers.approvedPriorAuthorization],
  ['BenefitVerification', answers.completedBenefitVerification],
  ['ClinicalQualification', answers.evaluatedClinicalQualification],
  ['ProviderOutreach', answers.sentProviderOutreach],
  ['PaStatusCheck', answers.completedPaStatus],
  ['Created', { id: answers.ids.benefitVerification }],
  ['CreatedPriorAuthorization', { id: answers.ids.priorAuthorization }],
  ['ServiceStatus', answers.serviceStatus],
]

/** Adds example values to all properties that hold text or a number. */
export function addExamples(components: Record<string, JsonSchema>): void {
  for (const [name, whole] of wholes) fill({ $ref: `#/components/schemas/${name}` }, whole)

  function fill(schema: JsonSchema, value: unknown): void {
    const target = schema.$ref === undefined ? undefined : components[schema.$ref.split('/').at(-1) ?? '']
    if (target !== undefined) return fill(target, value)
    if (Array.isArray(value)) for (const item of value) fillItem(schema, item)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) fillKey(schema, key, inner)
    else if (value !== null && holdsValues(schema)) schema.examples ??= [value]
  }

  function fillItem(schema: JsonSchema, item: unknown): void {
    for (const each of [schema, ...branchesOf(schema)]) {
      const items = asSchema(each.items)
      // A list item is not a property: only its own properties get examples.
      if (items !== undefined && typeof item === 'object') fill(items, item)
    }
  }

  function fillKey(schema: JsonSchema, key: string, value: unknown): void {
    const property = asSchema(schema.properties?.[key])
    if (property !== undefined) fill(property, value)
    for (const branch of branchesOf(schema)) {
      const target = branch.$ref === undefined ? branch : components[branch.$ref.split('/').at(-1) ?? '']
      if (target !== undefined) fillKey(target, key, value)
    }
  }
}

/** Whether a schema takes text or numbers without listing them. */
function holdsValues(schema: JsonSchema): boolean {
  return isExemplary(schema) && branchesOf(schema).every((branch) => isExemplary(branch))
}
