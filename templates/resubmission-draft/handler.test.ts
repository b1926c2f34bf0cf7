import { expect, it } from 'vitest'
import { PriorAuthorizationRequest } from '../../packages/client/src/schemas/prior-authorization-request.ts'
import { createHandlerStand, handlerContext, type HandlerStand } from '../../test/support/handler-context.ts'
import { fullPriorAuthorization } from '../../test/support/full-samples.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import { draftResubmission } from './draft-resubmission.ts'
import handler from './handler.ts'

const event = 'prior_authorization.status_change'
const lacking = {
  status: 'not_submitted',
  outcome: { result: 'Not Submitted', detail_code: 'more_information_required', detail: 'A lab result is missing.' },
}
const run = (stand: HandlerStand, different: Record<string, unknown>) =>
  handler.handle(handlerContext(event, samplePriorAuthorization(different), stand))

it('writes the draft into the chart and opens one task, however often it runs', async () => {
  const stand = createHandlerStand()
  await run(stand, lacking)
  await run(stand, lacking)
  expect(stand.ehr.writes).toBe(2)
  const [note] = stand.ehr.resources('DocumentReference')
  const written = Buffer.from(note?.content[0]?.attachment.data ?? '', 'base64').toString()
  expect(written).toContain('"previous_prior_auth_request_id": "pa_req_1"')
  const [task] = stand.ehr.resources('Task')
  expect(task).toMatchObject({ status: 'requested', businessStatus: { text: 'resubmission_drafted' } })
  expect(task?.description).toContain('A lab result is missing.')
  expect(task?.description).toContain(
    'Fill in: prescription.route_of_administration, prescription.prescription_date, resubmission_info.note.',
  )
})

it('leaves alone what still runs, was cancelled, or ended for another reason', async () => {
  const stand = createHandlerStand()
  for (const status of ['processing', 'awaiting_provider_response', 'cancelled'])
    await run(stand, { ...lacking, status })
  await run(stand, { status: 'completed', outcome: { result: 'Denied', detail_code: 'unknown' } })
  expect(stand.ehr.writes).toBe(0)
})

it('drafts a request that the service takes once what is missing is filled in', () => {
  const { body, missing } = draftResubmission(fullPriorAuthorization(lacking))
  expect(missing).toEqual(['resubmission_info.note'])
  const info = { previous_prior_auth_request_id: 'pa_req_1', note: 'With the lab result.' }
  const filledIn = PriorAuthorizationRequest.safeParse({ ...body, resubmission_info: info })
  expect(filledIn.error).toBeUndefined()
  expect(filledIn.data).toMatchObject({
    patient: { internal_id: 'patient-7' },
    prescription: { ndc: '0000-0000-01', quantity: 30, days_supply: 28 },
    insurance_content: { member_number: 'M-100', rx_bin: '012345' },
    diagnoses: [{ code: 'E11.9' }, { code: 'I10' }],
  })
})

it('mixes nothing of another insurance into the draft, and leaves out a BIN that the service refuses', () => {
  const insurance = [
    { discrete_content: {}, scanned_content: { rx_bin: '99', payer_name: 'Sample Payer' } },
    { discrete_content: { member_number: 'M-100' }, scanned_content: { error: 'unreadable' } },
    { discrete_content: { member_number: 'M-200', rx_pcn: 'OTHER' } },
  ]
  const { body } = draftResubmission(samplePriorAuthorization({ ...lacking, insurance }))
  expect(body.insurance_content).toEqual({ member_number: 'M-100', payer_name: 'Sample Payer' })
})

it('lists all that is missing where the PA tells nothing', () => {
  const { missing } = draftResubmission(
    samplePriorAuthorization({ ...lacking, patient: null, provider: null, insurance: null, prescription: null }),
  )
  expect(missing).toContain('patient.address.zip_postal_code')
  expect(missing).toContain('insurance_content.member_number')
  expect(missing).toContain('prescription.drug_name')
})
