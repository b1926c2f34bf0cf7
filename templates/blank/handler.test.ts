import { expect, it } from 'vitest'
import { aPriorAuthorization, expectIdempotent, runHandler } from '#pawl/testing'
import handler from './handler.ts'

const to = aPriorAuthorization({ status: 'awaiting_review' })

it('notes how the PA stands', async () => {
  const { lines } = await runHandler(handler, { to })
  expect(lines).toMatchObject([{ status: 'awaiting_review', resource_id: to.id }])
})

it('may run again, and may fail anywhere', () => expectIdempotent(handler, { to }))
