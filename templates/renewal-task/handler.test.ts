import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext, type HandlerStand } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.status_change'
const approved = (different: Record<string, unknown> = {}) => ({
  status: 'completed',
  outcome: { result: 'Approved', detail_code: 'approval', authorization_expiration: '2027-03-31', ...different },
})
async function run(stand: HandlerStand, different: Record<string, unknown>, receivedAt = new Date('2026-03-01')) {
  const events = [{ id: 1, type: event, receivedAt, source: 'webhook', isEcho: false }] as const
  const pa = samplePriorAuthorization(different)
  await handler.handle(handlerContext(event, pa, { ...stand, events: [...events] }))
}

it('opens one task that is due 30 days before the authorization ends, however often it runs', async () => {
  const stand = createHandlerStand()
  await run(stand, approved())
  await run(stand, approved(), new Date('2027-06-01'))
  expect(stand.ehr.writes).toBe(1)
  const [task] = stand.ehr.resources('Task')
  expect(task).toMatchObject({ status: 'requested', restriction: { period: { end: '2027-03-01' } } })
  expect(task?.description).toContain('ends on 2027-03-31')
})

it('moves the date when the payer extends the authorization', async () => {
  const stand = createHandlerStand()
  await run(stand, approved())
  await run(stand, approved({ authorization_expiration: '2027-12-31' }))
  expect(stand.ehr.resources('Task')).toMatchObject([{ restriction: { period: { end: '2027-12-01' } } }])
})

it('ends the task when the approval is taken back', async () => {
  const stand = createHandlerStand()
  await run(stand, approved())
  await run(stand, approved({ result: 'Denied', authorization_expiration: undefined }))
  expect(stand.ehr.resources('Task')).toMatchObject([{ status: 'cancelled' }])
})

it('leaves alone what is not approved, does not end, ended already, or still runs', async () => {
  const stand = createHandlerStand()
  await run(stand, approved({ result: 'Denied' }))
  await run(stand, approved({ authorization_expiration: null }))
  await run(stand, approved({ authorization_expiration: 'next spring' }))
  await run(stand, approved({ authorization_expiration: '2027-02-30' }))
  await run(stand, approved(), new Date('2027-06-01'))
  await run(stand, { ...approved(), status: 'validating_outcome' })
  expect(stand.ehr.writes).toBe(0)
})
