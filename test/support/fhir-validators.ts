import { validateResource } from '@medplum/core'
import type { Resource } from '@medplum/fhirtypes'
import type { FhirResource } from 'fhir/r4.js'
import { indexFhirDefinitions } from '../../packages/testing/src/services/fhir-definitions.ts'
import { foreign } from '../foreign/load.ts'

interface Validator {
  validate(
    resource: object,
    options: { errorOnUnexpected: boolean },
  ): { messages: { severity: string; location: string; message: string }[] }
}

const library = await foreign<{ Fhir: new () => Validator }>('fhir')
const codes = library && new library.Fhir()
/** Whether the second validator takes part. */
export const checksCodes = codes !== undefined

/** Faults that the package `fhir` reports though FHIR R4 allows them, each with the reason. */
const falseAlarms: RegExp[] = [
  // It takes `valueBoolean: false` for no value at all; Medplum finds an output that really has none.
  /Task\.output\[\d+\]\.value\[x\]: Missing property$/,
  // The binding of productOrService is an example, and no value set lists the drugs.
  /productOrService: Code ".+" \(http:\/\/hl7\.org\/fhir\/sid\/ndc\) not found in value set$/,
  // The binding of category is an example as well; US Core asks for its own code.
  /DocumentReference\.category\[0\]: Code "clinical-note" \(.+\/us-core-documentreference-category\) not found in value set$/,
]

/**
 * Faults of a resource as two independent validators find them, each blind to other faults: Medplum (structure and invariants) and the package `fhir`
 * (bindings of codes, where it is installed). Warnings of the second count too: a misspelt code of an extensible value set is no more than a warning.
 */
export function faultsOf(resource: FhirResource): string[] {
  indexFhirDefinitions()
  // As it goes over the wire, without the members that are undefined.
  const wire: unknown = JSON.parse(JSON.stringify(resource))
  return [...structureFaults(wire), ...codeFaults(wire)]
}

function structureFaults(wire: unknown): string[] {
  try {
    // The compiler cannot see that the validator refuses any value but a resource.
    return validateResource(wire as Resource).map(
      (issue) => `medplum: ${issue.details?.text} ${issue.expression?.join()}`,
    )
  } catch (error) {
    return [`medplum: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function codeFaults(wire: unknown): string[] {
  const { messages = [] } = codes?.validate(Object(wire), { errorOnUnexpected: true }) ?? {}
  return messages
    .filter(({ severity }) => severity !== 'info')
    .map(({ location, message }) => `fhir: ${location}: ${message}`)
    .filter((fault) => !falseAlarms.some((pattern) => pattern.test(fault)))
}
