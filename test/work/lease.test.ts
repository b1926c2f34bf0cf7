import { expect, it } from 'vitest'
import { claimOutside } from '../../packages/testing/src/claim-outside.ts'
import { createLeases } from '../../src/work/lease.ts'
import { Stopping } from '../../src/work/stopping.ts'

const claim = claimOutside({ resourceId: 'pa_req_1', kind: 'prior_authorization', owner: 'one', events: [], at: 0 })

function startLeases(leaseMs: number, claimTakesMs = 0) {
  return createLeases({
    ledger: {
      async claim() {
        // A stalled event loop.
        for (const until = performance.now() + claimTakesMs; performance.now() < until;);
        return claim
      },
      renew: () => Promise.resolve(true),
      followClock: () => Promise.resolve(false),
    },
    leaseMs,
    handlerNames: {},
  })
}

it('a lease that ended during a stalled event loop blocks all acts, before any timer fires', async () => {
  const held = await startLeases(60_000).claim('pa_req_1', false)
  expect(() => held?.lease.assertHeld()).not.toThrow()
  const ended = await startLeases(20, 30).claim('pa_req_1', false)
  expect(() => ended?.lease.assertHeld()).toThrow(/has ended/)
  expect(ended?.lease.ending.isOver()).toBe(true)
  for (const each of [held, ended]) each?.lease.end()
})

it('a stop of the process ends the leases that are held, and those taken after it', async () => {
  const leases = startLeases(60_000)
  const before = await leases.claim('pa_req_1', false)
  leases.stopping.end(new Stopping('The test stops.'))
  const after = await leases.claim('pa_req_1', false)
  for (const each of [before, after]) {
    expect(() => each?.lease.assertHeld()).toThrow('The test stops.')
    expect(each?.lease.ending.signal.reason).toBeInstanceOf(Stopping)
    each?.lease.end()
  }
})
