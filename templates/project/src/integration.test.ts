import { expect, it } from 'vitest'
import { aPriorAuthorization, anEvent, approved, expectIdempotent, startTestGateway } from 'pawl/testing'
import integration, { announceApprovals } from './integration.ts'

const to = aPriorAuthorization({ status: 'completed', outcome: approved() })

it('announces an approval once, also when its webhook comes twice', async () => {
  const gateway = await startTestGateway({ integration })
  try {
    await gateway.deliver(anEvent(to))
    await gateway.deliver(anEvent(to))
    await gateway.settle()
    expect(gateway.lines.filter(({ msg }) => msg === 'approved: tell the PA team here')).toHaveLength(1)
  } finally {
    await gateway.close()
  }
})

it('may run again, and may fail anywhere', () => expectIdempotent(announceApprovals, { to }))
