import { expect, it } from 'vitest'
import { aPriorAuthorization, aTransfer, expectIdempotent, runHandler } from '#pawl/testing'
import handler from './handler.ts'

const begun = aPriorAuthorization({ prescription_transfer: aTransfer() })

it('keeps one task of the transfer in sync', async () => {
  const first = await runHandler(handler, { to: begun })
  expect(first.ehr.writes).toBe(1)
  const to = aPriorAuthorization({ prescription_transfer: aTransfer({ status: 'completed' }) })
  const { ehr } = await runHandler(handler, { to, after: first })
  expect(ehr.resources('Task')).toMatchObject([{ status: 'completed', code: { text: 'Prescription transfer' } }])
})

it('writes nothing while there is no transfer', async () => {
  const { ehr } = await runHandler(handler, { to: aPriorAuthorization() })
  expect(ehr.writes).toBe(0)
})

it('may run again and fail anywhere', () => expectIdempotent(handler, { to: begun }))
