import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createApi } from '../../client/src/api/client.ts'
import type { SandboxOptions } from '../src/options.ts'
import type { Quotas } from '../src/access/limit-policies.ts'
import { asOrganization, startSandbox } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

const minute = 60_000

/** A sandbox with small quotas and a wall clock that the test moves. */
async function startWith(quotas: Partial<Quotas>, options: SandboxOptions = {}) {
  const wall = { at: Date.parse('2026-01-01T00:00:00Z'), now: () => wall.at }
  const started = await startSandbox({
    clock: wall,
    organizations: [{ id: 'org_a', quotas }, { id: 'org_b' }],
    ...options,
  })
  return { ...started, wall }
}

const drugs = (count: number) => ({ drugs: Array.from({ length: count }, () => ({ name: 'Examplumab', quantity: 1 })) })

describe('the rate limits', () => {
  it('appear on every answer, as structured fields', async () => {
    const { call } = await startWith({ 'read-endpoint-minute': 600, 'bv-drug-24h': 5000, 'rtbv-drug-minute': 50 })
    const { headers } = await call('get', '/status').expect(200)
    expect(headers['ratelimit-policy']).toBe('"read-endpoint-minute";q=600;w=60')
    expect(headers.ratelimit).toBe('"read-endpoint-minute";r=599;t=60')
    expect(headers['retry-after']).toBeUndefined()
    const created = await call('post', '/benefit-verification', {
      ...benefitVerification(drugs(3)),
      preferred_processing_mode: 'realtime',
    }).expect(200)
    expect(created.headers['ratelimit-policy']).toBe(
      [
        '"write-endpoint-minute";q=60000;w=60',
        '"rtbv-drug-minute";q=50;w=60;dh-unit="drug"',
        '"bv-drug-24h";q=5000;w=86400;dh-unit="drug"',
      ].join(', '),
    )
    expect(created.headers.ratelimit).toBe(
      '"write-endpoint-minute";r=59999;t=60, "rtbv-drug-minute";r=47;t=60, "bv-drug-24h";r=4997;t=86400',
    )
    const refused = await call('get', '/benefit-verification/bv_none').expect(404)
    expect(refused.headers.ratelimit).toBe('"read-endpoint-minute";r=599;t=60')
  })

  it('refuse excess requests in the documented shape until Retry-After has passed', async () => {
    const { call, wall } = await startWith({ 'read-endpoint-minute': 2 })
    await call('get', '/status').expect(200)
    wall.at += 10_500
    await call('get', '/status').expect(200)
    const { body, headers } = await call('get', '/status').expect(429)
    expect(body).toEqual({
      status: 'error',
      error: { title: expect.any(String), description: expect.any(String), code: 'rate_limit_exceeded' },
    })
    expect(headers['retry-after']).toBe('50')
    expect(headers.ratelimit).toBe('"read-endpoint-minute";r=0;t=50')
    wall.at += 49_000
    await call('get', '/status').expect(429)
    wall.at += 1_000
    await call('get', '/status').expect(200)
  })

  it('count each endpoint separately, across ids', async () => {
    const { call } = await startWith({ 'read-endpoint-minute': 2, 'write-endpoint-minute': 1 })
    await call('get', '/prior-authorization/pa_req_a').expect(404)
    await call('get', '/prior-authorization/pa_req_b').expect(404)
    await call('get', '/prior-authorization/pa_req_c').expect(429)
    await call('get', '/benefit-verification/bv_a').expect(404)
    await call('post', '/prior-authorization/pa_req_a/cancel', { cancellation_reason: 'x' }).expect(404)
    await call('post', '/prior-authorization/pa_req_b/cancel', { cancellation_reason: 'x' }).expect(429)
    await call('post', '/prior-authorization/pa_req_b/feedback', { category: 'x', message: 'y' }).expect(404)
    const pharmacy = { preferred_pharmacy_ncpdp_id: '0123456' }
    await call('patch', '/prior-authorization/pa_req_a/ndp-submission', pharmacy).expect(404)
    await call('patch', '/prior-authorization/pa_req_b/ndp-submission', pharmacy).expect(429)
  })

  it('belong to the organization: its tokens share them, another organization has its own', async () => {
    const quotas = { 'read-endpoint-minute': 1 }
    const organizations = ['org_a', 'org_b'].map((id) => ({ id, quotas }))
    const { call, sandbox } = await startWith(quotas, { organizations })
    await call('get', '/status').expect(200)
    await (await asOrganization(sandbox, 'org_a')).call('get', '/status').expect(429)
    const other = await asOrganization(sandbox, 'org_b')
    await other.call('get', '/status').expect(200)
    await other.call('get', '/status').expect(429)
  })

  it('admit a BV as a whole or not at all, and charge nothing for a refused one', async () => {
    const { call, sandbox } = await startWith({ 'bv-drug-24h': 6, 'write-endpoint-minute': 5 })
    const create = (count: number) => call('post', '/benefit-verification', benefitVerification(drugs(count)))
    expect((await create(4).expect(200)).headers.ratelimit).toContain('"bv-drug-24h";r=2;')
    const refused = await create(3).expect(429)
    expect(refused.headers.ratelimit).toMatch(/"write-endpoint-minute";r=4;.*"bv-drug-24h";r=2;/)
    expect(refused.headers['retry-after']).toBe('86400')
    const oneFaulty = [...drugs(1).drugs, { name: '' }]
    await call('post', '/benefit-verification', { ...benefitVerification(), drugs: oneFaulty }).expect(422)
    expect((await create(2).expect(200)).headers.ratelimit).toMatch(/"write-endpoint-minute";r=2;.*"bv-drug-24h";r=0;/)
    expect(sandbox.truth().benefit_verifications.map((bv) => bv.drugs?.length)).toEqual([4, 2])
  })

  it('apply both drug policies to a real-time BV', async () => {
    const { call, wall } = await startWith({ 'rtbv-drug-minute': 2, 'bv-drug-24h': 5 })
    const create = (mode: string) =>
      call('post', '/benefit-verification', {
        ...benefitVerification(drugs(2)),
        preferred_processing_mode: mode,
      })
    await create('realtime_only').expect(200)
    expect((await create('realtime').expect(429)).headers['retry-after']).toBe('60')
    await create('standard').expect(200)
    wall.at += minute
    expect((await create('realtime').expect(429)).headers['retry-after']).toBe('86340')
  })

  it('refund drugs and PAs of a request that creates nothing, but count the request', async () => {
    const { call } = await startWith({ 'pa-create-24h': 1, 'bv-drug-24h': 2, 'write-endpoint-minute': 3 })
    const badPa = { ...priorAuthorization(), patient: undefined }
    const refused = await call('post', '/prior-authorization', badPa).expect(422)
    expect(refused.headers.ratelimit).toMatch(/"write-endpoint-minute";r=2;.*"pa-create-24h";r=1;/)
    await call('post', '/benefit-verification', { ...benefitVerification(drugs(2)), patient: undefined }).expect(422)
    await call('post', '/benefit-verification', benefitVerification(drugs(2))).expect(200)
    await call('post', '/prior-authorization', priorAuthorization()).expect(200)
    const over = await call('post', '/prior-authorization', priorAuthorization()).expect(429)
    expect(over.headers.ratelimit).toMatch(/"write-endpoint-minute";r=1;.*"pa-create-24h";r=0;/)
  })

  it('let cancels through when no PA or drug is left', async () => {
    const { call, create } = await startWith({ 'pa-create-24h': 1, 'bv-drug-24h': 1 })
    const pa = await create('/prior-authorization', priorAuthorization())
    const bv = await create('/benefit-verification', benefitVerification(drugs(1)))
    const { headers } = await call('post', `/prior-authorization/${pa}/cancel`, { cancellation_reason: 'x' }).expect(
      200,
    )
    expect(headers.ratelimit).toBe('"write-endpoint-minute";r=59999;t=60')
    await call('post', `/benefit-verification/${bv}/cancel`).expect(204)
  })

  it('are measured on the wall clock, however fast the sandbox runs', async () => {
    const { call, wall } = await startWith({ 'pa-create-24h': 1 }, { speed: 100_000 })
    await call('post', '/prior-authorization', priorAuthorization()).expect(200)
    wall.at += minute
    await call('post', '/prior-authorization', priorAuthorization()).expect(429)
  })

  it('count neither calls without a token nor paths that do not exist', async () => {
    const { call, sandbox } = await startWith({ 'read-endpoint-minute': 1 })
    await request(sandbox.app).get('/status').expect(401)
    expect((await call('get', '/nothing').expect(404)).headers.ratelimit).toBeUndefined()
    await call('get', '/status').expect(200)
  })

  it('count HEAD as GET, and serve no other spelling of a path', async () => {
    const { call, sandbox } = await startWith({ 'read-endpoint-minute': 2 })
    for (const path of ['/STATUS', '/status/', '//status', '/Status'])
      expect((await call('get', path).expect(404)).headers.ratelimit).toBeUndefined()
    const authorization = `Bearer ${await sandbox.issueToken()}`
    const head = () => request(sandbox.app).head('/status').set('authorization', authorization)
    expect((await head().expect(200)).headers.ratelimit).toBe('"read-endpoint-minute";r=1;t=60')
    await head().expect(200)
    await head().expect(429)
    await call('get', '/status').expect(429)
  })

  it('come with every answer, and count errors too', async () => {
    const { call, sandbox } = await startWith({ 'write-endpoint-minute': 9, 'pa-create-24h': 5 })
    const left = async (answer: ReturnType<typeof call>) => {
      const { status, headers } = await answer
      return [status, headers.ratelimit?.match(/r=\d+/g)?.join()]
    }
    const create = () => call('post', '/prior-authorization', priorAuthorization())
    const invalid = () => call('post', '/prior-authorization').set('content-type', 'application/json')
    sandbox.controls.failNext({ operation: 'POST /prior-authorization', code: 'unsupported_drug' })
    expect(await left(create())).toEqual([400, 'r=8,r=5'])
    sandbox.controls.setChaos({ answering: { unavailable: 1 } })
    expect(await left(create())).toEqual([503, 'r=7,r=5'])
    sandbox.controls.setChaos({ answering: { rate_limited: 1 } })
    expect(await left(create())).toEqual([429, 'r=6,r=5'])
    sandbox.controls.setChaos('off')
    expect(await left(invalid().send('{"patient":'))).toEqual([422, 'r=5,r=5'])
    sandbox.controls.putOrganization({ id: 'org_a', apiAccess: false })
    expect(await left(create())).toEqual([403, 'r=4,r=5'])
    sandbox.controls.putOrganization({ id: 'org_a' })
    expect(await left(create())).toEqual([200, 'r=3,r=4'])
  })

  it('charge no daily quota for a request that chaos cut before any work', async () => {
    const { call, sandbox } = await startWith({ 'pa-create-24h': 50 }, { chaos: { answering: { disconnect: 1 } } })
    const { url } = await sandbox.listen()
    const headers = { authorization: `Bearer ${await sandbox.issueToken()}`, 'content-type': 'application/json' }
    for (let count = 0; count < 20; count++)
      await fetch(`${url}/prior-authorization`, {
        method: 'POST',
        headers,
        body: JSON.stringify(priorAuthorization()),
      }).catch(() => {})
    sandbox.controls.setChaos('off')
    const created = sandbox.truth().prior_authorizations.length
    expect(created).toBeGreaterThan(0)
    expect(created).toBeLessThan(20)
    const { headers: told } = await call('post', '/prior-authorization', priorAuthorization()).expect(200)
    expect(told.ratelimit).toContain(`"pa-create-24h";r=${50 - created - 1};`)
  })
})

describe("the client's rate budget", () => {
  it('learns from the headers and is never refused in a sequential run', async () => {
    const quotas = {
      'read-endpoint-minute': 12,
      'write-endpoint-minute': 8,
      'rtbv-drug-minute': 6,
      'bv-drug-24h': 100,
      'pa-create-24h': 40,
    }
    const { sandbox, wall } = await startWith(quotas)
    const { url } = await sandbox.listen()
    const statuses: (number | 'none')[] = []
    let sleptMs = 0
    const api = createApi({
      baseUrl: url,
      token: await sandbox.issueToken(),
      clock: wall,
      sleep: async (ms) => {
        sleptMs += ms
        wall.at += ms
      },
      maxWaitMs: 120_000,
      onRequest: ({ status }) => statuses.push(status),
    })
    for (let round = 0; round < 30; round++) {
      const { id } = await api.createPriorAuthorization(priorAuthorization())
      await api.getPriorAuthorization(id)
      await api.getPriorAuthorization(id, { priority: 'background' })
      const verification = await api.createBenefitVerification({
        ...benefitVerification(drugs(2)),
        preferred_processing_mode: 'realtime',
      })
      if (round % 3 === 0) await api.cancelBenefitVerification(verification.id)
    }
    expect(new Set(statuses)).toEqual(new Set([200, 204]))
    expect(statuses).toHaveLength(130)
    // 60 reads of one endpoint at 12 a minute take four minutes at least.
    expect(sleptMs).toBeGreaterThanOrEqual(4 * minute)
  })
})
