import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.prescription_transfer_change'
const withTransfer = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ status: 'completed', prescription_transfer: sampleTransfer(different) })

it('tells the pharmacy', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, withTransfer(), stand))
  expect(stand.pharmacy.notices).toMatchObject([
    { data: { prior_authorization_id: 'pa_req_1', status: 'in_progress', pharmacy_ncpdp_id: '7654321' } },
  ])
})

it('leaves the pharmacy alone while there is no transfer', async () => {
  const stand = createHandlerStand()
  const pa = samplePriorAuthorization()
  await handler.handle(handlerContext('prior_authorization.status_change', pa, stand))
  expect(stand.pharmacy.notices).toEqual([])
})

it('does not tell the pharmacy what did not change', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, withTransfer(), stand))
  const options = { ...stand, previous: withTransfer() }
  await handler.handle(handlerContext('prior_authorization.status_change', withTransfer(), options))
  expect(stand.pharmacy.notices).toHaveLength(1)
})

it('tells each state once, another state under another id', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, withTransfer(), stand))
  await handler.handle(handlerContext(event, withTransfer(), stand))
  const completed = withTransfer({ status: 'completed', confirmed: true })
  await handler.handle(handlerContext(event, completed, { ...stand, previous: withTransfer() }))
  const [first, next, ...others] = stand.pharmacy.notices
  expect(next?.id).not.toBe(first?.id)
  expect(others).toEqual([])
})
