import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.status_change'
const statusesOf = (resources: { status: string }[]) => resources.map(({ status }) => status)

it('writes the PA with its determination and a document', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, samplePriorAuthorization(), stand))
  expect(statusesOf(stand.ehr.resources('Task'))).toEqual(['in-progress'])
  expect(stand.ehr.resources('ClaimResponse').map(({ outcome }) => outcome)).toEqual(['queued'])
  expect(stand.ehr.resources('DocumentReference')).toHaveLength(1)
})

it('run again with the same PA writes nothing, with or without a baseline', async () => {
  const stand = createHandlerStand()
  const pa = samplePriorAuthorization({ status: 'failed' })
  await handler.handle(handlerContext(event, pa, stand))
  const { writes } = stand.ehr
  await handler.handle(handlerContext(event, pa, stand))
  await handler.handle(handlerContext(event, pa, { ...stand, previous: pa }))
  expect(stand.ehr.writes).toBe(writes)
})

it('that first sees the PA when it is cancelled writes the Task alone', async () => {
  const stand = createHandlerStand()
  await handler.handle(handlerContext(event, samplePriorAuthorization({ status: 'cancelled' }), stand))
  expect(statusesOf(stand.ehr.resources('Task'))).toEqual(['cancelled'])
  expect(stand.ehr.resources('ClaimResponse')).toEqual([])
})

it('cancels the determination that it wrote before', async () => {
  const stand = createHandlerStand()
  const running = samplePriorAuthorization()
  await handler.handle(handlerContext(event, running, stand))
  const cancelled = samplePriorAuthorization({ status: 'cancelled' })
  await handler.handle(handlerContext(event, cancelled, { ...stand, previous: running }))
  expect(statusesOf(stand.ehr.resources('ClaimResponse'))).toEqual(['cancelled'])
})
