import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storedTypes } from '../src/fhir/chart-types.ts'
import { benefitVerificationErrorCodes } from '../../client/src/schemas/benefit-verification-errors.ts'
import { benefitVerificationStatuses, patientCoverageStatuses } from '../../client/src/schemas/benefit-verification.ts'
import { detailCodes } from '../../client/src/schemas/outcome.ts'
import { priorAuthorizationStatuses } from '../../client/src/schemas/prior-authorization.ts'
import type { Chart } from '../../../test/support/charts/start-chart.ts'
import { faultsOf } from '../../../test/support/fhir-validators.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../../../test/support/full-samples.ts'
import { startMappedChart } from './mapped-chart.ts'

let mapped: Awaited<ReturnType<typeof startMappedChart>>
let chart: Chart
beforeEach(async () => {
  mapped = await startMappedChart()
  chart = mapped.chart
})
afterEach(() => chart.close())

describe('with any result', () => {
  const dates = { authorization_start_date: '2026-03-01', authorization_expiration: '2027-02-28' }
  const outcomes: Record<string, unknown>[] = [
    ...Object.entries(detailCodes).flatMap(([result, codes]) =>
      codes.map((detail_code) => ({ result, detail_code, detail: 'A sentence for people.', ...dates })),
    ),
    { result: 'A new result', detail_code: 'a_new_code', client_code: 'CC-1' },
    { result: 'Pending', detail: null, detail_code: null },
  ]
  const settled: readonly string[] = ['completed', 'failed', 'not_submitted']
  const invalid = () => storedTypes.flatMap((type) => chart.all(type).flatMap((held) => faultsOf(held)))

  it.each([...priorAuthorizationStatuses, 'a_new_status'])(
    'the resources of a PA that is %s are valid',
    async (status) => {
      // While it runs, its outcome is not published.
      const published = settled.includes(status) ? [undefined, ...outcomes] : outcomes.slice(-1)
      for (const [at, outcome] of published.entries())
        await mapped.open().putPriorAuthorization(fullPriorAuthorization({ id: `pa_req_${at}`, status, outcome }))
      expect(chart.all('Task')).toHaveLength(published.length)
      expect(invalid()).toEqual([])
    },
  )

  const drugs = ['covered', 'not_covered', 'sometimes', null].flatMap((coverage) =>
    ['yes', 'no', 'not_applicable', 'perhaps', null].flatMap((prior_authorization_required) =>
      [{ name: 'Exampline', dosage: '10 mg' }, { ndc: '12345-678-90' }, {}].map((named, at) => ({
        ...named,
        coverage,
        prior_authorization_required,
        has_active_prior_auth: [true, false, null][at],
        coverage_detail_code: ['insurer_reported_value', 'diagnoses_not_covered', 'quantity_limit_pa_required'][at],
        copay: ['$10', null, ' '][at],
        copay_options: [[{ amount_cents: 1000, supply_duration_days: 30 }], [{ amount_cents: 0 }], null][at],
      })),
    ),
  )
  const errors = [...benefitVerificationErrorCodes, 'A new error', undefined].map(
    (code) => code && { title: 'Failed', code, detail_code: 'incorrect_member_id', detail_message: null },
  )

  it.each([...benefitVerificationStatuses, 'a_new_status'])(
    'the resources of a BV that is %s are valid',
    async (status) => {
      const found = [...patientCoverageStatuses, 'a_new_status', null].map((each) => ({
        patient_coverage_status: each,
      }))
      const failed =
        status === 'failed' ? errors.map((error) => ({ error: error ?? {}, drugs: [], insurance: [] })) : []
      for (const [at, different] of [...found, ...failed, { drugs }].entries())
        await mapped.open().putBenefitVerification(fullBenefitVerification({ id: `bv_${at}`, status, ...different }))
      expect(chart.all('CoverageEligibilityResponse')).toHaveLength(found.length + failed.length + 1)
      expect(invalid()).toEqual([])
    },
  )
})
