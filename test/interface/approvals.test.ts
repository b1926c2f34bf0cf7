import { describe, expect, it } from 'vitest'
import { defineHandler, isApproved } from '#pawl'
import { aPriorAuthorizationRequest, startTestGateway } from '#pawl/testing'
import { shippedIntegration } from '../support/shipped-integration.ts'
import { startSandbox } from '../../packages/sandbox/test/play.ts'
import { priorAuthorization } from '../../packages/sandbox/test/requests.ts'

const words = ['Approval', 'Approved'] as const

describe('an approval', () => {
  it('has either word by chance, and the same one for the same seed', async () => {
    const { mock_result: _, ...unmocked } = priorAuthorization()
    const play = async () => {
      const { sandbox, create, read } = await startSandbox({ seed: 3 })
      const ids: string[] = []
      while (ids.length < 16) ids.push(await create('/prior-authorization', unmocked))
      while (sandbox.controls.step() !== undefined);
      return Promise.all(ids.map(async (id) => (await read(`/prior-authorization/${id}`)).outcome.result as string))
    }
    const results = await play()
    expect(results).toEqual(expect.arrayContaining([...words]))
    expect(await play()).toEqual(results)
  })

  it.each(words)('by the word %s is one to the client, to a handler and in the chart', async (result) => {
    const handled: unknown[] = []
    const handler = defineHandler({
      name: 'note-approvals',
      on: ['prior_authorization.status_change'],
      handle: async ({ resource: { status, outcome } }) => {
        if (status === 'completed') handled.push([outcome?.result, isApproved(outcome)])
      },
    })
    const handlers = [...shippedIntegration.handlers, handler]
    const gateway = await startTestGateway({ integration: { ...shippedIntegration, handlers } })
    try {
      const { api, controls } = gateway.service
      const request = aPriorAuthorizationRequest({ mock_result: { result: 'Denied' } })
      const { id } = await api.createPriorAuthorization(request)
      for (const status of ['processing', 'awaiting_outcome']) controls.push(id, status)
      controls.push(id, 'completed', { outcome: { result, detail_code: 'approval' } })
      await gateway.settle()
      const { outcome } = await api.getPriorAuthorization(id)
      expect([outcome?.result, isApproved(outcome)]).toEqual([result, true])
      // A handler may hear of one change more than once.
      expect(new Set(handled.map(String))).toEqual(new Set([`${result},true`]))
      const [response] = gateway.ehr.resources('ClaimResponse')
      expect(response).toMatchObject({ outcome: 'complete', preAuthPeriod: { end: expect.any(String) } })
      // The code of X12 306 for a certification in total, as the chart shows a decision.
      expect(JSON.stringify(response)).toContain('"A1"')
    } finally {
      await gateway.close()
    }
  })
})
