import { jwtVerify } from 'jose'
import { expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { control, startSandbox, startWebhook } from './play.ts'

const envelope = { title: 't', description: 'd', event_type: 'prior_authorization.renamed', data: { id: 'pa_req_own' } }

it('a custom body is signed, logged and retried like any delivery', async () => {
  const { webhook, receiver } = await startWebhook()
  receiver.answers.push(500, 200)
  const { sandbox } = await startSandbox({
    organizations: [{ id: 'org_demo', webhooks: [webhook] }],
    webhooks: { retryBaseMs: 1 },
  })
  const { body } = await control(sandbox, 'post', '/deliveries', { body: envelope }).expect(200)
  await until('both attempts', () => receiver.received.length === 2)
  await sandbox.settled()
  expect(receiver.received.map(({ body: bytes }) => bytes)).toEqual(Array(2).fill(JSON.stringify(envelope)))
  for (const { token } of receiver.received)
    await expect(jwtVerify(token, new TextEncoder().encode(webhook.secret))).resolves.toBeDefined()
  expect(sandbox.controls.deliveries({ resourceId: 'pa_req_own' })).toMatchObject([
    { id: body.data.ids[0], eventType: 'prior_authorization.renamed', state: 'delivered' },
  ])
})

it('a text is sent byte for byte, to the named webhook alone, under any chaos', async () => {
  const [main, other] = [await startWebhook(), await startWebhook({ name: 'other' })]
  const webhooks = [main.webhook, other.webhook]
  const { sandbox } = await startSandbox({
    organizations: [{ id: 'org_demo', webhooks }],
    chaos: { sending: { drop: 1, duplicate: 1 } },
  })
  const spaced = '{ "data":   "✓ no id, no type" }\n'
  await control(sandbox, 'post', '/deliveries', { body: spaced, webhook: 'other' }).expect(200)
  await sandbox.settled()
  expect(other.receiver.received.map(({ body }) => body)).toEqual([spaced])
  expect(main.receiver.received).toEqual([])
})

it.each([
  ['an organization without a webhook', { body: envelope }, 409, 'has no webhook: add one with PUT'],
  ['an unknown organization', { body: envelope, organization: 'none' }, 404, 'org_demo'],
])('%s is named', async (_what, body, status, said) => {
  const { sandbox } = await startSandbox()
  const { body: answer } = await control(sandbox, 'post', '/deliveries', body).expect(status)
  expect(answer.error.description).toContain(said)
})

it('a missing webhook and a missing body are refused', async () => {
  const { webhook } = await startWebhook()
  const { sandbox } = await startSandbox({ organizations: [{ id: 'org_demo', webhooks: [webhook] }] })
  const { body } = await control(sandbox, 'post', '/deliveries', { body: envelope, webhook: 'none' }).expect(409)
  expect(body.error).toMatchObject({ code: 'no_webhook', legal: ['main'] })
  await control(sandbox, 'post', '/deliveries', {}).expect(422)
})
