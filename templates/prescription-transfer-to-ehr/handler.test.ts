import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.prescription_transfer_change'
const withTransfer = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ status: 'completed', prescription_transfer: sampleTransfer(different) })

it('keeps one task of the transfer in step', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, withTransfer(), stand))
  await handler.handle(handlerContext(event, withTransfer(), stand))
  expect(stand.ehr.writes).toBe(1)
  await handler.handle(handlerContext(event, withTransfer({ status: 'completed', confirmed: true }), stand))
  expect(stand.ehr.resources('Task')).toMatchObject([{ status: 'completed', code: { text: 'Prescription transfer' } }])
})

it('writes nothing while there is no transfer', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext('prior_authorization.status_change', samplePriorAuthorization(), stand))
  expect(stand.ehr.writes).toBe(0)
})
