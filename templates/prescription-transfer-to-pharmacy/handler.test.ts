import { expect, it } from 'vitest'
import { aPriorAuthorization, aTransfer, expectIdempotent, runHandler } from '#pawl/testing'
import handler from './handler.ts'

const begun = aPriorAuthorization({ prescription_transfer: aTransfer() })

it('tells the pharmacy', async () => {
  const { pharmacy } = await runHandler(handler, { to: begun })
  expect(pharmacy.notices).toMatchObject([
    { data: { prior_authorization_id: 'pa_req_1', status: 'in_progress', pharmacy_ncpdp_id: '1234567' } },
  ])
})

it('leaves the pharmacy alone while there is no transfer', async () => {
  const { pharmacy } = await runHandler(handler, { to: aPriorAuthorization() })
  expect(pharmacy.notices).toEqual([])
})

it('tells each state once, another state under another id', async () => {
  const first = await runHandler(handler, { to: begun })
  const again = await runHandler(handler, { to: begun, after: first })
  const completed = aPriorAuthorization({ prescription_transfer: aTransfer({ status: 'completed' }) })
  const { pharmacy } = await runHandler(handler, { to: completed, after: again })
  const [told, next, ...others] = pharmacy.notices
  expect(next?.id).not.toBe(told?.id)
  expect(others).toEqual([])
})

it('may run again and fail anywhere', () => expectIdempotent(handler, { to: begun }))
