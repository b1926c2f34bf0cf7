import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext, type HandlerStand } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.real_time_benefits_check_change'
const run = (stand: HandlerStand, check: unknown, status = 'created') =>
  handler.handle(
    handlerContext(event, samplePriorAuthorization({ status, real_time_benefits_check_response: check }), stand),
  )
const check = {
  patient_cost: '$25.00',
  prior_auth_required: true,
  alternatives: [
    { product_id: 'p1', description: 'Placebomycin 250 mg', patient_cost: 5, prior_auth_required: false },
    { product_id: 'p2' },
  ],
}
const notesOf = ({ ehr }: HandlerStand) =>
  ehr
    .resources('DocumentReference')
    .map(({ content }) => Buffer.from(content[0]?.attachment.data ?? '', 'base64').toString())

it('notes the cost of the drug and of its alternatives once, in any status', async () => {
  const stand = createHandlerStand()
  await run(stand, check)
  await run(stand, check, 'completed')
  expect(stand.ehr.writes).toBe(1)
  expect(notesOf(stand)[0]).toContain(
    [
      'Prescribed drug: cost to the patient $25.00, prior authorization required',
      'Alternative: Placebomycin 250 mg, cost to the patient 5, prior authorization not required',
      'Alternative: p2',
    ].join('\n'),
  )
})

it('brings its note up to date with a later check', async () => {
  const stand = createHandlerStand()
  await run(stand, check)
  await run(stand, { patient_cost: '$0.00' })
  expect(notesOf(stand)).toEqual([expect.stringContaining('$0.00')])
})

it('leaves alone a PA without a check, and a check that says nothing', async () => {
  const stand = createHandlerStand()
  await run(stand, null)
  await run(stand, {})
  expect(stand.ehr.writes).toBe(0)
})
