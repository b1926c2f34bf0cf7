import { expect, it } from 'vitest'
import { createLeases } from '../../src/work/lease.ts'

it('a lease that ended during a stalled event loop blocks all acts, before any timer fires', () => {
  const ledger = { renew: () => Promise.resolve(true) }
  const leases = createLeases({ ledger, leaseMs: 1_000, stopping: new AbortController().signal })
  const token = { resourceId: 'pa_req_1', owner: 'one', newestEventId: 1, retries: 0 }
  const held = leases.keep(token, performance.now())
  expect(() => held.assertHeld()).not.toThrow()
  const ended = leases.keep(token, performance.now() - 1_000)
  expect(() => ended.assertHeld()).toThrow(/has ended/)
  expect(ended.ending.isOver()).toBe(true)
  for (const each of [held, ended]) each.end()
})
