import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPriorAuthorization, anEvent, approved, expectIdempotent, startTestGateway } from 'pawl/testing'
import integration, { announceApprovals } from './integration.ts'

const to = aPriorAuthorization({ status: 'completed', outcome: approved() })

test('an approval is announced once, also when its webhook comes twice', async () => {
  const gateway = await startTestGateway({ integration })
  try {
    await gateway.deliver(anEvent(to))
    await gateway.deliver(anEvent(to))
    await gateway.settle()
    const announced = gateway.lines.filter(({ msg }) => msg === 'approved: tell the PA team here')
    assert.equal(announced.length, 1)
  } finally {
    await gateway.close()
  }
})

test('the handler may run again, and may fail anywhere', () => expectIdempotent(announceApprovals, { to }))
