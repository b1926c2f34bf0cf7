import { afterEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { canaries } from '../support/canaries.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

let gateway: LocalGateway
afterEach(() => gateway.destroy())

/** The lines of a handler that files each PA, which stood one after another as told. */
async function linesOf(standings: readonly object[]): Promise<Record<string, unknown>[]> {
  const service = createScriptedApi()
  const { log, lines } = captureLog()
  const toChart = defineHandler({
    name: 'to-chart',
    on: ['prior_authorization.status_change'],
    handle: ({ resource, ehr }) => ehr.putPriorAuthorization(resource),
  })
  gateway = await startLocalGateway({ api: service.api, handlers: [toChart], log })
  const handled = () => lines().filter(({ msg }) => msg === 'handled')
  for (const [index, standing] of standings.entries()) {
    service.set({ id: 'pa_req_1', status: 'created', ...standing })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', n: index }))
    await until(`run ${index + 1}`, () => handled().length === index + 1)
  }
  return handled()
}

it('the log states what each run found changed, and what it wrote', async () => {
  const [first, last] = await linesOf([
    { status: 'processing', outcome: { result: 'Pending' } },
    {
      status: 'completed',
      outcome: { result: 'Approved' },
      prescription_transfer: { status: 'in_progress' },
    },
  ])
  expect(first).toMatchObject({ status: 'processing', wrote: expect.stringContaining('Task') })
  expect(first).not.toHaveProperty('outcome')
  expect(last).toMatchObject({
    status_before: 'processing',
    status: 'completed',
    outcome: 'approved',
    transfer: 'in_progress',
    wrote: expect.stringMatching(/^[A-Za-z]+(,[A-Za-z]+)*$/),
  })
})

it('the log repeats only documented words of the service', async () => {
  const text = canaries.lastName
  const lines = await linesOf([
    { status: text },
    { status: 'completed', outcome: { result: text }, prescription_transfer: { status: text } },
  ])
  expect(JSON.stringify(lines)).not.toContain(text)
  expect(lines).toMatchObject([{ status: '?' }, { status_before: '?', transfer: '?' }])
})
