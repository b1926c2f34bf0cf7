import { expect, it } from 'vitest'
import type { Api, ProviderOutreach } from '#pawl'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.provider_outreach_change'
const attempt = (different: Partial<ProviderOutreach> = {}): ProviderOutreach => ({
  id: 'prov_outreach_1',
  prior_authorization_id: 'pa_req_1',
  channel: 'fax',
  state: 'sent',
  ...different,
})

/** A chart, and a service that gives one PA. */
function createStand() {
  const api: Partial<Api> = { getPriorAuthorization: async (id) => samplePriorAuthorization({ id }) }
  // The handler calls nothing else.
  const stand = { ...createHandlerStand(), api: api as Api }
  const run = (outreach: ProviderOutreach) => handler.handle(handlerContext(event, outreach, stand))
  const notes = () =>
    stand.ehr
      .resources('DocumentReference')
      .map(({ content }) => Buffer.from(content[0]?.attachment.data ?? '', 'base64').toString())
  return { ...stand, run, notes }
}

it("notes an attempt once in the chart of the PA's patient", async () => {
  const { run, notes, ehr } = createStand()
  await run(attempt())
  await run(attempt())
  expect(ehr.writes).toBe(1)
  expect(notes()).toEqual([expect.stringContaining('Attempt by fax: sent.')])
  expect(ehr.resources('DocumentReference')).toMatchObject([{ subject: { reference: 'Patient/patient-7' } }])
})

it('brings the note up to date with its attempt, and keeps those of others', async () => {
  const { run, notes } = createStand()
  await run(attempt())
  await run(attempt({ id: 'prov_outreach_2', channel: 'email' }))
  await run(attempt({ state: 'no_answer' }))
  expect(notes()).toEqual([
    expect.stringContaining('Attempt by fax: no answer.'),
    expect.stringContaining('Attempt by email: sent.'),
  ])
})

it('leaves alone an attempt that names no PA', async () => {
  const { run, ehr } = createStand()
  await run(attempt({ prior_authorization_id: undefined }))
  expect(ehr.writes).toBe(0)
})
