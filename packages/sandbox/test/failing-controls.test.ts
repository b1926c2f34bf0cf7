import { describe, expect, it } from 'vitest'
import request from 'supertest'
import { asOrganization, control, startSandbox, startWebhook } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

async function startWith() {
  const wall = { at: 1_767_225_600_000, now: () => wall.at }
  const quotas = { 'read-endpoint-minute': 2 }
  const started = await startSandbox({ clock: wall, organizations: [{ id: 'org_a', quotas }, { id: 'org_b' }] })
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) =>
    request(started.sandbox.app)[method](`/_sandbox/organizations/org_a${path}`).send(body)
  return { ...started, wall, send }
}

describe('failures that were planned', () => {
  it('happen in order, are listed while pending, and can be cleared', async () => {
    const { send, call } = await startWith()
    const operation = 'GET /authorized-providers'
    const status = 'GET /status'
    await send('post', '/failures', { operation, code: 'service_unavailable', times: 2 }).expect(200)
    await send('post', '/failures', { operation, code: 'unauthorized' }).expect(200)
    await send('post', '/failures', { operation: status, code: 'service_unavailable' }).expect(200)
    const next = async () => (await call('get', '/authorized-providers')).status
    expect(await next()).toBe(503)
    expect((await send('get', '/failures').expect(200)).body.data).toEqual([
      { operation, code: 'service_unavailable', times: 1 },
      { operation, code: 'unauthorized', times: 1 },
      { operation: status, code: 'service_unavailable', times: 1 },
    ])
    expect([await next(), await next()]).toEqual([503, 429])
    await send('delete', '/rate-windows').expect(200)
    expect([await next(), await next()]).toEqual([401, 200])
    const query = `/failures?operation=${encodeURIComponent(operation)}`
    expect((await send('delete', query).expect(200)).body.data).toEqual({ cleared: 0 })
    expect((await send('delete', '/failures').expect(200)).body.data).toEqual({ cleared: 1 })
    await call('get', '/status').expect(200)
    const wrong = await send('delete', '/failures?operation=nothing').expect(409)
    expect(wrong.body.error.legal).toContain(status)
  })

  it('can be rate_limit_exceeded for any operation, with the given Retry-After', async () => {
    const { send, call } = await startWith()
    const failures = [
      { operation: 'GET /status', code: 'rate_limit_exceeded' },
      { operation: 'GET /status', code: 'rate_limit_exceeded', retry_after_seconds: 7 },
    ]
    await send('put', '/failures', failures).expect(200)
    for (const seconds of ['60', '7']) {
      const { body, headers } = await call('get', '/status').expect(429)
      expect(body.error.code).toBe('rate_limit_exceeded')
      expect(headers['retry-after']).toBe(seconds)
    }
  })

  it('stay unchanged if one of their replacements is illegal', async () => {
    const { send, sandbox } = await startWith()
    const kept = { operation: 'GET /status', code: 'unauthorized', times: 1 }
    await send('put', '/failures', [kept]).expect(200)
    const refused = await send('put', '/failures', [{ operation: 'GET /status', code: 'other' }]).expect(409)
    expect(refused.body.error.legal).toContain('rate_limit_exceeded')
    expect(sandbox.controls.listFailures()).toEqual([kept])
    expect(sandbox.controls.listFailures('org_b')).toEqual([])
  })
})

describe('the windows of rate limits', () => {
  it('are listed, and end on demand for one organization', async () => {
    const { send, call, sandbox, wall } = await startWith()
    const other = await asOrganization(sandbox, 'org_b')
    for (const expected of [200, 200, 429]) await call('get', '/status').expect(expected)
    await other.call('get', '/status').expect(200)
    expect((await send('get', '/rate-windows').expect(200)).body.data).toEqual([
      { policy: 'read-endpoint-minute', operation: 'GET /status', used: 2, ends_at: '2026-01-01T00:01:00.000Z' },
    ])
    expect((await send('delete', '/rate-windows').expect(200)).body.data).toEqual({ reset: 1 })
    expect((await send('get', '/rate-windows').expect(200)).body.data).toEqual([])
    const { headers } = await call('get', '/status').expect(200)
    expect(headers.ratelimit).toContain('r=1;')
    expect(sandbox.controls.readRateWindows('org_b')).toMatchObject([{ used: 1 }])
    wall.at += 61_000
    expect(sandbox.controls.readRateWindows('org_b')).toEqual([])
  })
})

describe('the delivery log', () => {
  async function startDelivering() {
    const { webhook, receiver } = await startWebhook()
    const started = await startSandbox({ organizations: [{ id: 'org_a', webhooks: [webhook] }] })
    const pa = await started.create('/prior-authorization', priorAuthorization())
    await started.create('/benefit-verification', benefitVerification())
    for (const status of ['processing', 'awaiting_outcome', 'completed']) started.sandbox.controls.push(pa, status)
    started.sandbox.controls.setClock({ advanceMs: 30 * 86_400_000 })
    await started.sandbox.settled()
    const get = (query: string) => control(started.sandbox, 'get', `/deliveries${query}`)
    return { ...started, receiver, pa, get }
  }

  it('is filtered and paged, in either order', async () => {
    const { get, pa, sandbox } = await startDelivering()
    const all = sandbox.controls.deliveries().map(({ id }) => id)
    for (const order of ['oldest', 'newest'] as const) {
      const ids: number[] = []
      let cursor = ''
      for (;;) {
        const { data, next_cursor } = (await get(`?limit=2&order=${order}${cursor}`).expect(200)).body
        ids.push(...data.map(({ id }: { id: number }) => id))
        if (next_cursor === null) break
        cursor = `&cursor=${next_cursor}`
      }
      expect(ids).toEqual(order === 'oldest' ? all : all.toReversed())
    }
    const { data } = (await get(`?resource_id=${pa}&state=delivered&webhook=main&organization=org_a`).expect(200)).body
    expect(data).toHaveLength(4)
    expect(data[0]).toMatchObject({ event_type: 'prior_authorization.status_change', resource_id: pa })
    expect(data[0]).toMatchObject({ attempts: [{ status: 200, duration_ms: expect.any(Number) }] })
    expect(data[0]).not.toHaveProperty('body')
    for (const [query, legal] of [
      ['limit=0', '>=1'],
      ['state=lost', '"given_up"'],
      ['event_type=x', 'prior_authorization.message'],
      ['cursor=x', 'next_cursor'],
      ['page=2', 'cursor'],
    ])
      expect((await get(`?${query}`).expect(422)).body.detail[0].msg).toContain(legal)
  })

  it("shows a delivery by id, with body and each attempt's headers and answer", async () => {
    const { get, receiver, sandbox } = await startDelivering()
    const { data } = (await get('/1').expect(200)).body
    const [first] = receiver.received
    expect(data).toMatchObject({ id: 1, state: 'delivered', body: first?.body, webhook: 'main' })
    expect(data.attempts).toEqual([
      {
        at: expect.any(String),
        duration_ms: expect.any(Number),
        status: 200,
        headers: { 'content-type': 'application/json', 'x-webhook-secret': first?.token },
      },
    ])
    const { id } = (await control(sandbox, 'post', '/deliveries/1/redeliver').expect(200)).body.data
    await sandbox.settled()
    expect((await get(`/${id}`).expect(200)).body.data).toMatchObject({ copy_of: 1, body: first?.body })
    expect((await get('/999').expect(404)).body.error.code).toBe('unknown_delivery')
  })
})
