import type { Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toCoverageEligibilityResponse } from '../../src/connectors/ehr/fhir/mapping/coverage-eligibility-response.ts'
import { toCoverage } from '../../src/connectors/ehr/fhir/mapping/coverage.ts'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { sampleBenefitVerification, samplePriorAuthorization } from '../support/samples.ts'

const base = 'https://clinic.example/id'
const now = '2026-03-01T12:00:00.000Z'

describe('the validators', () => {
  const task = toTask(base, samplePriorAuthorization())

  it('see a code that is not in its value set, in a required and in an extensible binding', () => {
    // The compiler would rightly refuse it; so should the validator.
    expect(faultsOf({ ...task, priority: 'soon' as 'urgent' })).toEqual([expect.stringMatching(/^fhir: Task.priority/)])
    const coverage = toCoverage(base, sampleBenefitVerification())
    const misspelt = { type: { coding: [{ ...coverage?.class?.[0]?.type.coding?.[0], code: 'rxbni' }] }, value: '1' }
    expect(coverage && faultsOf({ ...coverage, class: [misspelt] })).toEqual([expect.stringMatching(/^fhir: .*rxbni/)])
  })

  it('see a broken invariant and a property that does not exist', () => {
    const response = toCoverageEligibilityResponse(base, sampleBenefitVerification(), { previous: undefined, now })
    const item = { productOrService: { text: 'Exampline' }, category: { text: 'Drugs' } }
    const insurance = [{ coverage: { display: 'x' }, item: [item] }]
    expect(faultsOf({ ...response, insurance })).toEqual([expect.stringMatching(/^medplum: .*ces-1/)])
    expect(faultsOf({ ...task, buisnessStatus: {} } as Task).length).toBeGreaterThan(0)
  })
})
