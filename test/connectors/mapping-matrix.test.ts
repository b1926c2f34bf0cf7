import { describe, expect, it } from 'vitest'
import { toClaimResponse } from '../../src/connectors/ehr/fhir/mapping/claim-response.ts'
import { toCoverageEligibilityResponse } from '../../src/connectors/ehr/fhir/mapping/coverage-eligibility-response.ts'
import { toCoverage } from '../../src/connectors/ehr/fhir/mapping/coverage.ts'
import {
  toBenefitVerificationDocument,
  toPriorAuthorizationDocument,
} from '../../src/connectors/ehr/fhir/mapping/document.ts'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { benefitVerificationErrorCodes } from '../../src/service/schemas/benefit-verification-errors.ts'
import { benefitVerificationStatuses, patientCoverageStatuses } from '../../src/service/schemas/benefit-verification.ts'
import { priorAuthorizationStatuses } from '../../src/service/schemas/prior-authorization.ts'
import { detailCodes } from '../../src/service/schemas/outcome.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../support/full-samples.ts'
import { mappingContext } from '../support/mapping-context.ts'

const context = mappingContext()

const dates = { authorization_start_date: '2026-03-01', authorization_expiration: '2027-02-28' }
const outcomes: Record<string, unknown>[] = [
  ...Object.entries(detailCodes).flatMap(([result, codes]) =>
    codes.map((detail_code) => ({ result, detail_code, detail: 'A sentence for people.', ...dates })),
  ),
  { result: 'Approval', detail_code: 'approval' },
  { result: 'Pending', detail: null, detail_code: null },
  { result: 'A new result', detail_code: 'a_new_code', client_code: 'CC-1' },
]

describe('with any outcome, the resources are valid of a prior authorization that is', () => {
  for (const status of [...priorAuthorizationStatuses, 'a_new_status']) {
    it(status, () => {
      const previous = toClaimResponse(context, fullPriorAuthorization({ status: 'awaiting_outcome' }))
      for (const outcome of [undefined, ...outcomes]) {
        const pa = fullPriorAuthorization({ status, outcome })
        const written = [
          toTask(context, pa),
          toClaimResponse(context, pa, previous),
          toPriorAuthorizationDocument(context, pa),
        ].filter((each) => each !== undefined)
        expect(written.flatMap(faultsOf), JSON.stringify(outcome)).toEqual([])
      }
    })
  }
})

const coverages = ['covered', 'not_covered', 'sometimes', null]
const requirements = ['yes', 'no', 'not_applicable', 'perhaps', null]
const copays = [
  { copay: '$10', copay_options: [{ amount_cents: 1000, supply_duration_days: 30 }] },
  { copay: null, copay_options: [{ amount_cents: 0 }] },
  { copay: ' ', copay_options: null },
]
/** A drug of every kind that a payer can tell of. */
const drugs = coverages.flatMap((coverage) =>
  requirements.flatMap((prior_authorization_required) =>
    copays.map((copay, index) => ({
      ...[{ name: 'Exampline', dosage: '10 mg' }, { ndc: '12345-678-90', quantity: 30 }, {}][index],
      coverage,
      prior_authorization_required,
      has_active_prior_auth: [true, false, null][index],
      coverage_detail_code: ['insurer_reported_value', 'diagnoses_not_covered', 'quantity_limit_pa_required'][index],
      ...copay,
    })),
  ),
)

const errors = [...benefitVerificationErrorCodes, 'A new error'].map((code) => ({
  title: 'Failed',
  code,
  detail_code: 'incorrect_member_id',
  message: 'A sentence.',
  detail_message: null,
}))

describe('with any result, the resources are valid of a benefit verification that is', () => {
  for (const status of [...benefitVerificationStatuses, 'a_new_status']) {
    it(status, () => {
      for (const patient_coverage_status of [...patientCoverageStatuses, 'a_new_status', null]) {
        const bv = fullBenefitVerification({ status, patient_coverage_status })
        const written = [toCoverageEligibilityResponse(context, bv), toCoverage(context, bv)]
        expect(written.filter((each) => each !== undefined).flatMap(faultsOf), patient_coverage_status ?? '').toEqual(
          [],
        )
      }
      const bv = fullBenefitVerification({ status, drugs })
      expect(faultsOf(toCoverageEligibilityResponse(context, bv))).toEqual([])
      expect(faultsOf(toBenefitVerificationDocument(context, bv))).toEqual([])
    })
  }

  it('failed, with each error', () => {
    for (const error of [...errors, {}]) {
      const bv = fullBenefitVerification({ status: 'failed', drugs: [], insurance: [], error })
      expect(faultsOf(toCoverageEligibilityResponse(context, bv)), JSON.stringify(error)).toEqual([])
    }
  })
})
