import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4.js'
import type { ChartProfile, TypeRules } from './profile.ts'

/** The server's statement of its capabilities: neither more nor less than it does. */
export function capabilityStatement({ name, software, publisher, types }: ChartProfile): CapabilityStatement {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: '2026-01-01',
    kind: 'instance',
    ...(publisher !== undefined && { publisher }),
    software: { name: software ?? 'Test chart' },
    implementation: { description: `Test chart ${name}` },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json'],
    rest: [{ mode: 'server', resource: Object.entries(types).map(([type, rules]) => describeType(type, rules)) }],
  }
}

function describeType(type: string, rules: TypeRules): CapabilityStatementRestResource {
  return {
    // The compiler cannot see that the keys of `types` are resource types.
    type: type as CapabilityStatementRestResource['type'],
    interaction: rules.interactions.map((code) => ({ code })),
    versioning: rules.versioning,
    conditionalCreate: rules.conditionalCreate ?? false,
    conditionalUpdate: rules.conditionalUpdate ?? false,
    updateCreate: rules.updateCreate ?? false,
    searchParam: rules.searchParams.map((name) => ({ name, type: paramType(name) })),
  }
}

function paramType(name: string): 'token' | 'reference' | 'string' | 'date' {
  if (name === 'birthdate' || name === 'date') return 'date'
  if (name === 'family' || name === 'given') return 'string'
  return ['patient', 'subject', 'beneficiary', 'owner', 'recipient', 'sender', 'part-of'].includes(name)
    ? 'reference'
    : 'token'
}
