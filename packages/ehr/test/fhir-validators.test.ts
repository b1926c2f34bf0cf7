import { readFileSync } from 'node:fs'
import type { Coverage, CoverageEligibilityResponse, FhirResource, Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { checksCodes, faultsOf } from '../../../test/support/fhir-validators.ts'

/** A resource of a golden pair. */
function golden<T extends FhirResource>(name: string, type: T['resourceType']): T {
  const file = new URL(`../../../test/fixtures/mappings/${name}.output.json`, import.meta.url)
  // The test of the pairs writes it.
  const { fhir } = JSON.parse(readFileSync(file, 'utf8')) as { fhir: FhirResource[] }
  return fhir.find(({ resourceType }) => resourceType === type) as T
}

describe('the validators', () => {
  const task = golden<Task>('prior-authorization/processing', 'Task')

  it.skipIf(!checksCodes)('see a code that is not in its value set, in a required and in an extensible binding', () => {
    // The compiler would rightly refuse it; so should the validator.
    expect(faultsOf({ ...task, priority: 'soon' as 'urgent' })).toEqual([expect.stringMatching(/^fhir: Task.priority/)])
    const coverage = golden<Coverage>('benefit-verification/every-field', 'Coverage')
    const misspelt = { type: { coding: [{ ...coverage.class?.[0]?.type.coding?.[0], code: 'rxbni' }] }, value: '1' }
    expect(faultsOf({ ...coverage, class: [misspelt] })).toEqual([expect.stringMatching(/^fhir: .*rxbni/)])
  })

  it('see a broken invariant and a property that does not exist', () => {
    const type = 'CoverageEligibilityResponse'
    const response = golden<CoverageEligibilityResponse>('benefit-verification/completed', type)
    const item = { productOrService: { text: 'Exampline' }, category: { text: 'Drugs' } }
    const insurance = [{ coverage: { display: 'x' }, item: [item] }]
    expect(faultsOf({ ...response, insurance })).toEqual([expect.stringMatching(/^medplum: .*ces-1/)])
    expect(faultsOf({ ...task, buisnessStatus: {} } as Task).length).toBeGreaterThan(0)
  })
})
