import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext, type HandlerStand } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.status_change'
const run = (stand: HandlerStand, different: Record<string, unknown>) =>
  handler.handle(handlerContext(event, samplePriorAuthorization(different), stand))
const denial = {
  status: 'completed',
  outcome: { result: 'Denied', detail_code: 'unknown', detail: 'Try the other drug first.' },
  denial_reason_analysis: { explanation: 'No trial of it is on file.' },
  url: 'https://service.example/requests/pa_req_1',
}

it('says in the task of a denial why it was denied, and what can be done', async () => {
  const stand = createHandlerStand()
  await run(stand, denial)
  const [task] = stand.ehr.resources('Task')
  expect(task).toMatchObject({ status: 'requested', businessStatus: { text: 'denied' } })
  expect(task?.description).toContain('Try the other drug first.\nNo trial of it is on file.')
  expect(task?.description).toMatch(/- resubmit: .*pa_req_1.*\n- appeal: .*appeal_details/)
  expect(task?.description).toContain('Open it at https://service.example/requests/pa_req_1.')
  expect(task?.description).not.toContain('- cancel')
})

for (const [different, reason, action] of [
  [{ status: 'awaiting_review' }, 'awaiting_review', '- review: '],
  [{ status: 'awaiting_provider_response' }, 'awaiting_provider_response', '- answer: '],
  [
    { status: 'not_submitted', outcome: { result: 'Not Submitted', detail_code: 'more_information_required' } },
    'more_information_required',
    '- resubmit: ',
  ],
  [
    { status: 'failed', outcome: { result: 'Other', detail_code: 'patient_consent_required' } },
    'patient_consent_required',
    '- resubmit: ',
  ],
  [denial, 'denied', '- appeal: '],
] as const) {
  it(`opens one task named ${reason}, and run again writes nothing`, async () => {
    const stand = createHandlerStand()
    await run(stand, different)
    await run(stand, different)
    expect(stand.ehr.writes).toBe(1)
    const [task] = stand.ehr.resources('Task')
    expect(task).toMatchObject({ status: 'requested', reasonCode: { text: reason } })
    expect(task?.description).toContain(action)
  })
}

it('ends the task when the PA goes on or is called off', async () => {
  for (const [status, ending] of [
    ['awaiting_outcome', 'completed'],
    ['cancelled', 'cancelled'],
  ] as const) {
    const stand = createHandlerStand()
    await run(stand, { status: 'awaiting_review' })
    await run(stand, { status })
    expect(stand.ehr.resources('Task')).toMatchObject([{ status: ending }])
  }
})

it('writes no task for a PA that waits for no person', async () => {
  const stand = createHandlerStand()
  await run(stand, { status: 'processing', outcome: { result: 'Pending', detail_code: 'more_information_required' } })
  await run(stand, { status: 'completed', outcome: { result: 'Approved', detail_code: 'approval' } })
  await run(stand, { status: 'not_submitted', outcome: { result: 'Not Submitted', detail_code: 'pbm_excluded' } })
  expect(stand.ehr.writes).toBe(0)
})
