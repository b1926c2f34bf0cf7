import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.prescription_transfer_change'
const withTransfer = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ status: 'completed', prescription_transfer: sampleTransfer(different) })

it('tells the pharmacy and notes it in the chart', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, withTransfer(), stand))
  expect(stand.pharmacy.notices).toMatchObject([
    { data: { prior_authorization_id: 'pa_req_1', status: 'in_progress', pharmacy_ncpdp_id: '7654321' } },
  ])
  expect(stand.ehr.resources('Task')).toMatchObject([
    { status: 'in-progress', code: { text: 'Prescription transfer' } },
  ])
})

it('leaves both alone while there is no transfer', async () => {
  const stand = createHandlerStand()
  const pa = samplePriorAuthorization()
  await handler.handle(handlerContext('prior_authorization.status_change', pa, stand))
  expect(stand.pharmacy.notices).toEqual([])
  expect(stand.ehr.writes).toBe(0)
})

it('does not tell the pharmacy what did not change', async () => {
  const stand = createHandlerStand()
  const options = { ...stand, previous: withTransfer() }
  await handler.handle(handlerContext('prior_authorization.status_change', withTransfer(), options))
  expect(stand.pharmacy.notices).toEqual([])
})

it('tells the same state again under the same id, and another state under another', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, withTransfer(), stand))
  await handler.handle(handlerContext(event, withTransfer(), stand))
  const completed = withTransfer({ status: 'completed', confirmed: true })
  await handler.handle(handlerContext(event, completed, { ...stand, previous: withTransfer() }))
  const [first, copy, next] = stand.pharmacy.notices
  expect(copy?.id).toBe(first?.id)
  expect(next?.id).not.toBe(first?.id)
  expect(stand.ehr.resources('Task')).toMatchObject([{ status: 'completed' }])
})

it('tells the pharmacy even if the chart is down', async () => {
  const stand = createHandlerStand()
  const down = { ...stand.ehr, putPrescriptionTransfer: () => Promise.reject(new Error('down')) }
  const run = handler.handle(handlerContext(event, withTransfer(), { ...stand, ehr: down }))
  await expect(run).rejects.toThrow('down')
  expect(stand.pharmacy.notices).toHaveLength(1)
})
