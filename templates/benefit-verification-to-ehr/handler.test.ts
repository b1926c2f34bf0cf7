import { expect, it } from 'vitest'
import { aBenefitVerification, expectIdempotent, runHandler } from '#pawl/testing'
import handler from './handler.ts'

it('writes what was found out, and the coverage it was found out for', async () => {
  const { ehr } = await runHandler(handler, { to: aBenefitVerification() })
  expect(ehr.resources('CoverageEligibilityResponse')).toMatchObject([{ status: 'active', outcome: 'complete' }])
  expect(ehr.resources('Coverage')).toMatchObject([{ subscriberId: 'M-100' }])
})

it('brings what it wrote up to date', async () => {
  const first = await runHandler(handler, { to: aBenefitVerification({ status: 'pending' }) })
  const { ehr } = await runHandler(handler, { to: aBenefitVerification({ status: 'cancelled' }), after: first })
  expect(ehr.resources('CoverageEligibilityResponse')).toMatchObject([{ status: 'cancelled' }])
})

it('may run again and fail anywhere', () => expectIdempotent(handler, { to: aBenefitVerification() }))
