import { expect, it } from 'vitest'
import { createHandlerStand, handlerContext, type HandlerStand } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

async function run(stand: HandlerStand, status: string, detailCode: string | null = null): Promise<void> {
  const pa = samplePriorAuthorization({ status, outcome: { result: 'Pending', detail_code: detailCode } })
  await handler.handle(handlerContext('prior_authorization.status_change', pa, stand))
}

for (const [status, detailCode, reason] of [
  ['awaiting_review', null, 'awaiting_review'],
  ['awaiting_provider_response', 'more_information_required', 'awaiting_provider_response'],
  ['not_submitted', 'more_information_required', 'more_information_required'],
  ['completed', 'more_information_required', 'more_information_required'],
  ['failed', 'more_information_required', 'more_information_required'],
  ['failed', 'patient_consent_required', 'patient_consent_required'],
  ['completed', 'patient_consent_required', 'patient_consent_required'],
] as const) {
  it(`opens a task named ${reason} for ${status}, ${detailCode}`, async () => {
    const stand = createHandlerStand()
    await run(stand, status, detailCode)
    await run(stand, status, detailCode)
    expect(stand.ehr.resources('Task')).toMatchObject([{ status: 'requested', businessStatus: { text: reason } }])
    expect(stand.ehr.writes).toBe(1)
  })
}

for (const [status, detailCode] of [
  ['created', null],
  ['processing', 'more_information_required'],
  ['completed', 'approval'],
  ['not_submitted', 'pbm_excluded'],
  ['cancelled', 'more_information_required'],
] as const) {
  it(`writes nothing for ${status}, ${detailCode}, when no task is open`, async () => {
    const stand = createHandlerStand()
    await run(stand, status, detailCode)
    expect(stand.ehr.writes).toBe(0)
  })
}

it('closes the task when no staff action is needed, and reopens it when one is needed again', async () => {
  const stand = createHandlerStand()
  for (const [status, task] of [
    ['awaiting_review', 'requested'],
    ['awaiting_outcome', 'completed'],
    ['awaiting_review', 'requested'],
    ['cancelled', 'cancelled'],
  ] as const) {
    await run(stand, status)
    expect(stand.ehr.resources('Task')).toMatchObject([{ status: task }])
  }
})

it('opens a task for the appeal of a denial, with the reasons', async () => {
  const stand = createHandlerStand()
  const pa = samplePriorAuthorization({
    status: 'completed',
    outcome: { result: 'Denied', detail_code: 'step_therapy_criteria_not_met', detail: 'Try the other drug first.' },
    denial_reason_analysis: { explanation: 'No trial of the preferred drug is on file.' },
  })
  await handler.handle(handlerContext('prior_authorization.status_change', pa, stand))
  const [task] = stand.ehr.resources('Task')
  expect(task).toMatchObject({ status: 'requested', businessStatus: { text: 'denied' } })
  expect(task?.description).toContain('Try the other drug first. No trial of the preferred drug is on file.')
})
