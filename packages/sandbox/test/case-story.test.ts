import { expect, it } from 'vitest'
import { control, startSandbox, startWebhook } from './play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'

/** The story over HTTP: each change and event in a few words. */
async function storyOf({ sandbox }: Awaited<ReturnType<typeof startSandbox>>, id: string): Promise<string[]> {
  const { body } = await control(sandbox, 'get', `/resources/${id}/story`).expect(200)
  return body.data.map(
    ({
      of,
      change,
      event,
    }: {
      of: string
      change?: { from: string; to: string }
      event?: { type: string; delivery_ids: number[] }
    }) =>
      [
        of,
        change && `${change.from} > ${change.to}`,
        event && `${event.type.split('.')[1]} ${event.delivery_ids.join()}`,
      ]
        .filter((part) => part !== undefined)
        .join(', '),
  )
}

it('the story of a case joins each event with its change, even while time stands still', async () => {
  const { webhook } = await startWebhook()
  const started = await startSandbox({ organizations: [{ id: 'org_a', webhooks: [webhook] }] })
  const { sandbox, create } = started
  const id = await create('/prior-authorization', priorAuthorization({ ndp_submission: ndpSubmission }))
  for (const status of ['processing', 'awaiting_outcome', 'validating_outcome', 'awaiting_outcome', 'completed'])
    sandbox.controls.push(id, status)
  sandbox.controls.addMessage(id, { content: 'x' })
  sandbox.controls.pushTransfer(id, 'attempted')
  sandbox.controls.pushBenefitsCheck(id)
  expect(await storyOf(started, id)).toEqual([
    'case, null > created, status_change 1',
    'benefits_check, null > waiting',
    'case, created > processing, status_change 2',
    'case, processing > awaiting_outcome, status_change 3',
    'case, activity_log_updated ',
    'case, awaiting_outcome > validating_outcome, status_change 4',
    'case, validating_outcome > awaiting_outcome, status_change 5',
    'case, awaiting_outcome > completed, status_change 6',
    'transfer, null > waiting',
    'case, activity_log_updated ',
    'case, message 7',
    'transfer, waiting > attempted, prescription_transfer_change 8',
    'benefits_check, waiting > completed, real_time_benefits_check_change 9',
  ])
})

it('the story of a BV has its one event at its end', async () => {
  const started = await startSandbox()
  const id = await started.create('/benefit-verification', benefitVerification())
  started.sandbox.controls.push(id, 'completed')
  expect(await storyOf(started, id)).toEqual(['case, null > pending', 'case, pending > completed, status_change '])
  await control(started.sandbox, 'get', '/resources/bv_none/story').expect(404)
})
