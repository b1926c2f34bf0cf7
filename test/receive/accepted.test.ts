import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventKinds } from '../../packages/client/src/events/event-types.ts'
import { createVerify } from '../../packages/client/src/verify/verify.ts'
import { envelope, signToken } from '../support/webhook.ts'
import { mounts, oldSecret, type ReceiverStand, startReceiverStand } from './receiver-stand.ts'
import { forge, goodBody, hmac, inSeconds, post, sha256 } from './signed-requests.ts'

const longId = `pa_req_${'x'.repeat(10_000)}`

it.each(['s', 'ä, "#\\'])('a receiver verifies with a secret of %j', async (secret) => {
  const verify = await createVerify([secret], Date.now)
  await expect(verify(await signToken({}, secret))).resolves.toBeDefined()
  await expect(verify(await signToken({}, `${secret}s`))).rejects.toMatchObject({ code: 'token_invalid' })
})

describe.each(Object.entries(mounts))('a receiver in %s', (_, mount) => {
  let stand: ReceiverStand
  beforeEach(async () => {
    stand = await startReceiverStand(mount)
  })
  afterEach(() => stand.destroy())

  async function deliver(body: string, token?: string, contentType = 'application/json') {
    return request(stand.url)
      .post('/webhooks')
      .set('content-type', contentType)
      .set('x-webhook-secret', token ?? (await signToken()))
      .send(body)
  }

  it('stores a delivery, answers 202 with the event, enqueues, and logs one line of ids', async () => {
    const { status, body, headers } = await deliver(goodBody)
    expect({ status, body }).toEqual({ status: 202, body: { event_id: 1, duplicate: false } })
    expect(headers['content-type']).toBe('application/json')
    expect(stand.enqueued).toEqual(['pa_req_1'])
    expect(stand.counted).toEqual(['stored handled'])
    const { time: _time, ...line } = stand.log.lines()[0] ?? {}
    expect(line).toEqual({
      level: 'info',
      msg: 'delivery',
      event_id: 1,
      event_type: 'prior_authorization.status_change',
      resource_id: 'pa_req_1',
      bytes: goodBody.length,
      status: 'stored',
      trace_id: expect.stringMatching(/^[0-9a-f]{12}0{19}1$/),
    })
    expect(stand.log.lines()).toHaveLength(1)
    const [stored] = await stand.ledger.bodies('pa_req_1')
    expect(Buffer.from(stored?.body ?? []).toString()).toBe(goodBody)
  })

  it('answers a copy with 200 and the event that it repeats, without enqueueing again', async () => {
    await deliver(goodBody)
    const { status, body } = await deliver(goodBody)
    expect({ status, body }).toEqual({ status: 200, body: { event_id: 1, duplicate: true } })
    expect(stand.enqueued).toEqual(['pa_req_1'])
    expect(stand.counted).toEqual(['stored handled', 'duplicate handled'])
    expect(stand.log.lines()).toMatchObject([{ status: 'stored' }, { status: 'duplicate', event_id: 1 }])
  })

  it.each(Object.keys(eventKinds))('accepts %s', async (eventType) => {
    expect((await deliver(JSON.stringify(envelope({ id: 'some_1' }, eventType)))).status).toBe(202)
    expect(stand.counted).toEqual(['stored handled'])
  })

  const tokens: [string, () => Promise<string> | string][] = [
    ['of the secret from before the rotation', () => signToken({}, oldSecret)],
    ['without exp', () => forge({ alg: 'HS256' }, {}, hmac('sha256'))],
    ['with undocumented claims', () => signToken({ sub: 'x', aud: ['y'], iat: inSeconds(-5) })],
    ['that expired just now, since clocks differ', () => signToken({ exp: inSeconds(-5) })],
    ['with the digest of the body in hex', () => signToken({ body_sha256: sha256(goodBody, 'hex') })],
    ['with it in capital hex', () => signToken({ body_sha256: sha256(goodBody, 'hex').toUpperCase() })],
    ['with it in Base64', () => signToken({ body_sha256: sha256(goodBody, 'base64') })],
    ['with it in Base64url', () => signToken({ body_sha256: sha256(goodBody, 'base64url') })],
    ['with it under its other name', () => signToken({ request_body_sha256: sha256(goodBody, 'hex') })],
  ]
  it.each(tokens)('accepts a token %s', async (_, token) => {
    expect((await deliver(goodBody, await token())).status).toBe(202)
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=UTF-8'])(
    'accepts the content type %s',
    async (contentType) => {
      expect((await deliver(goodBody, undefined, contentType)).status).toBe(202)
    },
  )

  const unhandled: [string, unknown][] = [
    ['an event type that pawl does not know', envelope({ id: 'pa_req_1' }, 'prior_authorization.brand_new')],
    ['an event type named like a property of every object', envelope({ id: 'pa_req_1' }, 'constructor')],
    ['no data.id', { event_type: 'prior_authorization.message', data: {} }],
    ...[7, null, true, {}, ['pa_req_1'], '', 'a/b', '.', '..', '../secrets', 'a b', 'a\nb', 'ä', longId].map(
      (id): [string, unknown] => [
        `a data.id of ${JSON.stringify(id).slice(0, 20)}`,
        { event_type: 'prior_authorization.message', data: { id } },
      ],
    ),
  ]
  it.each(unhandled)('stores %s as unhandled, without enqueueing', async (_, body) => {
    const { status } = await deliver(JSON.stringify(body))
    expect(status).toBe(202)
    expect(await stand.ledger.counts()).toMatchObject({ events: 1, unhandled: 1, due: 0 })
    expect(stand.enqueued).toEqual([])
    expect(stand.counted).toEqual(['stored unhandled'])
    expect(stand.log.lines()).toHaveLength(1)
    // Values that the sender chose freely stay out of the log.
    expect(stand.log.text()).not.toMatch(/brand_new|constructor|secrets|x{50}|a b|ä/)
  })

  it('tolerates unknown fields, null texts and undocumented statuses', async () => {
    const strange = { title: null, description: 7, occurred_at: [], event_id: {}, sent_by: 'x', ['__proto__x']: 1 }
    const data = { id: 'pa_req_1', status: 'quantum', outcome: 'none', extra: { deep: [1, null] } }
    const body = { ...envelope(data), ...strange }
    expect((await deliver(JSON.stringify(body))).status).toBe(202)
    expect(stand.counted).toEqual(['stored handled'])
    expect(await stand.ledger.due(1)).toEqual(['pa_req_1'])
  })

  it('stores an unknown type and an event_id with unusual characters', async () => {
    const odd = { ...envelope({ id: 'pa_req_1' }, 'un\0known\ud800'), event_id: '\0' }
    expect((await deliver(JSON.stringify(odd))).status).toBe(202)
    expect((await deliver(JSON.stringify(odd))).status).toBe(200)
    // Another body: what is no id must not make a copy of it.
    expect((await deliver(JSON.stringify({ ...odd, title: 'Another' }))).status).toBe(202)
    expect(stand.counted).toEqual(['stored unhandled', 'duplicate unhandled', 'stored unhandled'])
  })

  it('accepts an envelope that begins with a byte order mark', async () => {
    expect((await deliver(`\ufeff${goodBody}`)).status).toBe(202)
    expect(stand.counted).toEqual(['stored handled'])
  })

  it.each(['http://pawl.example/webhooks', 'HTTPS://pawl.example:3000/webhooks?from=a-proxy'])(
    'accepts a request for %s, as proxies send it',
    async (path) => {
      expect((await post(stand.url, goodBody, {}, { path })).status).toBe(202)
    },
  )

  it('accepts an envelope nested to the bound', async () => {
    const deep = `${'{"a":'.repeat(62)}1${'}'.repeat(62)}`
    const body = `{"event_type":"prior_authorization.message","data":{"id":"pa_req_1","x":${deep}}}`
    expect((await deliver(body)).status).toBe(202)
  })
})
