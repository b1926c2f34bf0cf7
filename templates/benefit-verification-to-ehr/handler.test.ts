import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { sampleBenefitVerification } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'benefit_verification.status_change'

it('writes what was found out, and the coverage it was found out for', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, sampleBenefitVerification(), stand))
  expect(stand.ehr.resources('CoverageEligibilityResponse')).toMatchObject([{ status: 'active', outcome: 'complete' }])
  expect(stand.ehr.resources('Coverage')).toMatchObject([{ subscriberId: 'M-100' }])
})

it('run again with the same BV writes nothing', async () => {
  const stand = createHandlerStand()
  for (const previous of [undefined, sampleBenefitVerification()]) {
    const options = previous === undefined ? stand : { ...stand, previous }
    await handler.handle(handlerContext(event, sampleBenefitVerification(), options))
  }
  expect(stand.ehr.writes).toBe(3)
})

it('brings what it wrote up to date', async () => {
  const stand = createHandlerStand()
  const previous = sampleBenefitVerification({ status: 'pending', drugs: [{ name: 'Exampline' }] })
  await handler.handle(handlerContext(event, previous, stand))
  await handler.handle(
    handlerContext(event, sampleBenefitVerification({ status: 'cancelled' }), { ...stand, previous }),
  )
  expect(stand.ehr.resources('CoverageEligibilityResponse')).toMatchObject([{ status: 'cancelled' }])
})
