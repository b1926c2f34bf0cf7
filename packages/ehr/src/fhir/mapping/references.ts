import type { Identifier, Reference } from 'fhir/r4.js'
import type { Provider } from 'pawl-client/schemas/people'
import { text } from '../../primitives.ts'

/** The identifier systems of pawl's resources, below the configured base. */
export type IdentifierKind =
  | 'prior-authorization'
  | 'benefit-verification'
  | 'coverage'
  | 'prescription-transfer'
  | 'prior-authorization-message'
  | 'prior-authorization-staff-task'
  | 'benefit-verification-staff-task'
  | 'document'
  | 'encounter'
  | 'note'

/** The identifier of one of the service's resources: its id below the configured base. */
export function identifierOf(base: string, kind: IdentifierKind, value: string): Identifier & NamedIdentifier {
  return { system: `${base}/${kind}`, value }
}

/** The identifier by which an upsert finds its resource. */
export interface NamedIdentifier {
  system: string
  value: string
}

/** A reference by identifier, which needs neither the chart's id nor an existing resource. */
export function referenceTo(type: string, identifier: Identifier): Reference {
  return { type, identifier }
}

export function priorAuthorizationTask(base: string, id: string): Reference {
  return referenceTo('Task', identifierOf(base, 'prior-authorization', id))
}

/** System of National Provider Identifiers. */
export const npiSystem = 'http://hl7.org/fhir/sid/us-npi'

/** The prescriber by NPI. */
export function prescriberReference(provider: Provider | undefined): Reference | undefined {
  const npi = text(provider?.npi)
  return npi === undefined ? undefined : referenceTo('Practitioner', { system: npiSystem, value: npi })
}
