import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { isSameState } from '../../client/src/schemas/same-state.ts'
import { control, startSandbox, startWebhook } from './play.ts'
import { ndpSubmission, priorAuthorization } from './requests.ts'

describe('the controls', () => {
  it('work over HTTP as well', async () => {
    const { sandbox, call, create } = await startSandbox()
    const { receiver, webhook } = await startWebhook()
    const control = (method: 'get' | 'post' | 'put', path: string, body?: object) =>
      request(sandbox.app)[method](`/_sandbox${path}`).send(body)
    await control('put', '/organizations/org_demo/webhooks', webhook).expect(200)
    const { body: token } = await control('post', '/tokens').expect(200)
    await request(sandbox.app).get('/status').set('authorization', `Bearer ${token.data.token}`).expect(200)

    const id = await create('/prior-authorization', priorAuthorization())
    expect((await control('post', '/step').expect(200)).body.data).toEqual({
      id,
      machine: 'prior_authorization',
      state: 'processing',
      events: [{ type: 'prior_authorization.status_change', resource_id: id, delivery_ids: [2] }],
    })
    const message = await control('post', `/prior-authorization/${id}/messages`, { content: 'Hello' }).expect(200)
    expect(message.body.data.id).toMatch(/^msg_/)
    const refused = await control('post', `/resources/${id}/push`, { status: 'created' }).expect(409)
    expect(refused.body.error).toMatchObject({
      code: 'illegal_transition',
      legal: expect.arrayContaining(['awaiting_outcome']),
    })
    await control('post', `/resources/${id}/push`, { status: 'awaiting_outcome' }).expect(200)
    await control('post', `/prior-authorization/${id}/review`).expect(409)
    await control('post', `/resources/${id}/cancel`).expect(200)
    await sandbox.settled()

    const { body: deliveries } = await control('get', `/deliveries?resource_id=${id}`).expect(200)
    expect(deliveries.data.map(({ event_type }: { event_type: string }) => event_type.split('.')[1])).toEqual([
      'status_change',
      'status_change',
      'message',
      'status_change',
      'status_change',
    ])
    await control('post', `/deliveries/${deliveries.data[0].id}/redeliver`).expect(200)
    await control('post', `/resources/${id}/redeliver-stale`, { after_ms: 1 }).expect(200)
    await sandbox.settled()
    expect(receiver.received).toHaveLength(7)

    const { body: truth } = await control('get', '/truth').expect(200)
    const { body: read } = await call('get', `/prior-authorization/${id}`).expect(200)
    expect(isSameState(truth.data.prior_authorizations, [read.data])).toBe(true)
    await control('post', '/resources/nothing/push', { status: 'x' }).expect(404)
    await control('post', '/deliveries/x/redeliver').expect(404)
  })

  it('push a benefits check and activities, and refuse a check of a PA without one', async () => {
    const { sandbox, create, read } = await startSandbox()
    const id = await create('/prior-authorization', priorAuthorization({ ndp_submission: ndpSubmission }))
    const post = (path: string, body?: object) => control(sandbox, 'post', `/prior-authorization/${id}/${path}`, body)
    await post('benefits-check').expect(200)
    const activity = await post('activities', { type: 'follow_up_call', notes: 'Nobody was there.' }).expect(200)
    expect(activity.body.data.id).toMatch(/^act_/)
    const resource = await read(`/prior-authorization/${id}`)
    expect(resource.real_time_benefits_check_response).toMatchObject({ patient_cost: expect.any(String) })
    expect(resource.activity_log.at(-1)).toMatchObject({
      type: 'follow_up_call',
      details: { notes: 'Nobody was there.', recording_url: expect.stringContaining('/recordings/'), transcript: null },
    })
    const other = await create('/prior-authorization', priorAuthorization())
    expect(() => sandbox.controls.pushBenefitsCheck(other)).toThrow('none cannot become completed; legal next: none')
  })
})
