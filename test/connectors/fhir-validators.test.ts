import type { Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toCoverageEligibilityResponse } from '../../src/connectors/ehr/fhir/mapping/coverage-eligibility-response.ts'
import { toCoverage } from '../../src/connectors/ehr/fhir/mapping/coverage.ts'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { sampleBenefitVerification, samplePriorAuthorization } from '../support/samples.ts'

const context = mappingContext()

describe('the validators', () => {
  const task = toTask(context, samplePriorAuthorization())

  it('see a code that is not in its value set, in a required and in an extensible binding', () => {
    // The compiler would rightly refuse it; so should the validator.
    expect(faultsOf({ ...task, priority: 'soon' as 'urgent' })).toEqual([expect.stringMatching(/^fhir: Task.priority/)])
    const coverage = toCoverage(context, sampleBenefitVerification())
    const misspelt = { type: { coding: [{ ...coverage?.class?.[0]?.type.coding?.[0], code: 'rxbni' }] }, value: '1' }
    expect(coverage && faultsOf({ ...coverage, class: [misspelt] })).toEqual([expect.stringMatching(/^fhir: .*rxbni/)])
  })

  it('see a broken invariant and a property that does not exist', () => {
    const response = toCoverageEligibilityResponse(context, sampleBenefitVerification())
    const item = { productOrService: { text: 'Exampline' }, category: { text: 'Drugs' } }
    const insurance = [{ coverage: { display: 'x' }, item: [item] }]
    expect(faultsOf({ ...response, insurance })).toEqual([expect.stringMatching(/^medplum: .*ces-1/)])
    expect(faultsOf({ ...task, buisnessStatus: {} } as Task).length).toBeGreaterThan(0)
  })
})
