import { setTimeout as delay } from 'node:timers/promises'
import { decodeJwt, jwtVerify } from 'jose'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { startSandbox, startWebhook } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'
import {
  type AnsweringChaos,
  answeringFaults,
  type SendingChaos,
  sendingFaults,
} from '../src/platform/chaos-settings.ts'

const fast = { retryBaseMs: 5, retryMaxMs: 20, maxAttempts: 4, timeoutMs: 10_000 }
const unheardOf = 'sandbox_unheard_of'

/** A PA created and pushed on once, with chaos on the sending side, and all that came of it. */
async function sendWith(sending: Partial<SendingChaos>) {
  const { receiver, webhook } = await startWebhook()
  const started = await startSandbox({
    organizations: [{ id: 'org_a', webhooks: [webhook] }],
    webhooks: fast,
    chaos: { sending },
  })
  const { sandbox, create } = started
  const id = await create('/prior-authorization', priorAuthorization())
  sandbox.controls.push(id, 'processing')
  while (sandbox.controls.deliveries().some(({ state }) => state === 'pending')) await delay(5)
  const statuses = receiver.received.map(({ envelope }) => envelope.data.status)
  return { ...started, id, receiver, webhook, statuses, deliveries: sandbox.controls.deliveries() }
}

describe('chaos on the sending side', () => {
  it('sends duplicates, byte by byte the same', async () => {
    const { receiver, deliveries } = await sendWith({ duplicate: 1 })
    expect(receiver.received).toHaveLength(4)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(2)
    expect(deliveries.map(({ copyOf, chaos }) => [copyOf, chaos])).toEqual([
      [undefined, undefined],
      [1, ['duplicate']],
      [undefined, undefined],
      [3, ['duplicate']],
    ])
  })

  it('lets a newer delivery overtake an older one', async () => {
    expect((await sendWith({ reorder: 1 })).statuses).toEqual(['processing', 'created'])
  })

  it('delays, and still delivers', async () => {
    const { statuses, deliveries } = await sendWith({ delay: 1 })
    expect(statuses.toSorted()).toEqual(['created', 'processing'])
    expect(deliveries.map(({ chaos }) => chaos)).toEqual([['delay'], ['delay']])
  })

  it('drops, and says so in the log', async () => {
    const { receiver, deliveries } = await sendWith({ drop: 1 })
    expect(receiver.received).toEqual([])
    expect(deliveries).toMatchObject([
      { state: 'given_up', chaos: ['drop'], attempts: [{ error: 'dropped by chaos' }] },
      { state: 'given_up' },
    ])
  })

  it('sends a copy again once it is stale', async () => {
    const { statuses, deliveries } = await sendWith({ stale_copy: 1 })
    // In the order of their numbers: each travels on a connection of its own, so that the first two may arrive in any order.
    const sent = deliveries.map(({ body, copyOf }) => [JSON.parse(body).data.status, copyOf])
    expect(sent).toEqual([
      ['created', undefined],
      ['processing', undefined],
      ['created', 1],
    ])
    expect(statuses.toSorted()).toEqual(['created', 'created', 'processing'])
    expect(deliveries[2]).toMatchObject({ chaos: ['stale_copy'] })
  })

  it('signs with a wrong secret', async () => {
    const { receiver, webhook } = await sendWith({ wrong_secret: 1 })
    for (const { token } of receiver.received) {
      expect(decodeJwt(token)).toMatchObject({ iat: expect.any(Number) })
      await expect(jwtVerify(token, new TextEncoder().encode(webhook.secret))).rejects.toThrow('signature')
    }
  })

  it('sends unknown event types beside the true ones', async () => {
    const { receiver, deliveries } = await sendWith({ unknown_event_type: 1 })
    expect(receiver.types().toSorted()).toEqual(
      [
        `prior_authorization.${unheardOf}`,
        `prior_authorization.${unheardOf}`,
        'prior_authorization.status_change',
        'prior_authorization.status_change',
      ].toSorted(),
    )
    expect(deliveries[1]).toMatchObject({ eventType: `prior_authorization.${unheardOf}`, copyOf: 1 })
  })

  it('sends unknown statuses and extra fields', async () => {
    const { receiver, statuses, read, id } = await sendWith({ unknown_status: 1, extra_fields: 1 })
    expect(statuses).toEqual([unheardOf, unheardOf])
    expect(receiver.received[0]?.envelope).toMatchObject({
      sandbox_extra: expect.anything(),
      data: { id, sandbox_extra: true },
    })
    expect(await read(`/prior-authorization/${id}`)).toMatchObject({ status: 'processing' })
  })

  it('draws the same from the same seed', async () => {
    const chances = Object.fromEntries(sendingFaults.map((fault) => [fault, 0.4]))
    const draw = async () => (await sendWith(chances)).deliveries.map(({ chaos, copyOf }) => [chaos, copyOf])
    expect(await draw()).toEqual(await draw())
  })
})

/** A sandbox that listens, with chaos on the answering side. */
async function answerWith(answering: Partial<AnsweringChaos>) {
  const started = await startSandbox({ chaos: { answering } })
  const { url } = await started.sandbox.listen()
  const authorization = `Bearer ${await started.sandbox.issueToken()}`
  const send = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout('timeout' in answering ? 1_000 : 20_000),
    })
  return { ...started, url, send }
}

describe('chaos on the answering side', () => {
  it('answers 429 with Retry-After', async () => {
    const { send, sandbox } = await answerWith({ rate_limited: 1 })
    const answer = await send('POST', '/prior-authorization', priorAuthorization())
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await answer.json()).toMatchObject({ status: 'error', error: { code: 'rate_limit_exceeded' } })
    expect(sandbox.truth().prior_authorizations).toEqual([])
  })

  it('answers 503 with resource_busy for the cancel of a BV, else with service_unavailable', async () => {
    const { send } = await answerWith({ unavailable: 1 })
    const codeOf = async (answer: Response) => {
      // The test itself is what checks the shape.
      const { error } = (await answer.json()) as { error: { code: string } }
      return [answer.status, error.code]
    }
    expect(await codeOf(await send('POST', '/benefit-verification/bv_x/cancel'))).toEqual([503, 'resource_busy'])
    expect(await codeOf(await send('GET', '/status'))).toEqual([503, 'service_unavailable'])
  })

  it('answers 500, for PAs without a code', async () => {
    const { send } = await answerWith({ internal_error: 1 })
    const bv = await send('POST', '/benefit-verification', benefitVerification())
    expect(await bv.json()).toMatchObject({ error: { code: 'unexpected_error' } })
    const pa = await send('GET', '/prior-authorization/pa_req_x')
    expect([pa.status, await pa.text()]).toEqual([500, 'Internal Server Error'])
  })

  it('loses answers by timeout, disconnect or half a body, before or after the work', async () => {
    for (const [fault, error] of [
      ['timeout', 'TimeoutError'],
      ['disconnect', 'TypeError'],
      ['half_body', 'TypeError'],
    ] as const) {
      const { send, sandbox } = await answerWith({ [fault]: 1 })
      const tries = Array.from({ length: 8 }, async () => {
        const answer = await send('POST', '/prior-authorization', priorAuthorization())
        return answer.json()
      })
      const ends = await Promise.allSettled(tries)
      expect(ends.map((end) => end.status === 'rejected' && (end.reason as Error).name)).toEqual(Array(8).fill(error))
      const created = sandbox.truth().prior_authorizations.length
      expect(created).toBeGreaterThan(0)
      expect(created).toBeLessThan(8)
    }
  })

  it('leaves controls and unknown paths alone', async () => {
    const all = Object.fromEntries(answeringFaults.map((fault) => [fault, 1]))
    const { send, url } = await answerWith(all)
    expect((await send('GET', '/nothing')).status).toBe(404)
    expect((await fetch(`${url}/_sandbox/truth`)).status).toBe(200)
  })
})

describe('the chaos control', () => {
  it('is off until told, and takes chances or a preset', async () => {
    const { sandbox, call } = await startSandbox()
    const control = (body?: object) =>
      body === undefined
        ? request(sandbox.app).get('/_sandbox/chaos')
        : request(sandbox.app).put('/_sandbox/chaos').send(body)
    const off = (await control().expect(200)).body.data
    expect(new Set([...Object.values(off.sending), ...Object.values(off.answering)])).toEqual(new Set([0]))
    await control({ answering: { unavailable: 1 } }).expect(200)
    await call('get', '/status').expect(503)
    const light = (await control({ preset: 'light' }).expect(200)).body.data
    expect(light.sending.duplicate).toBeGreaterThan(0)
    expect((await control({ preset: 'off' }).expect(200)).body.data).toEqual(off)
    await call('get', '/status').expect(200)
    const { body } = await control({ sending: { duplicate: 2, nonsense: 1 } }).expect(422)
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      'body.sending.duplicate',
      'body.sending.nonsense',
    ])
  })
})
