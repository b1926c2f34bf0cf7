import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { defineHandler, PawlError } from '../../../src/index.ts'
import { systemClock } from '../../base/src/clock.ts'
import { createLedger } from '../../ledger/src/create-ledger.ts'
import { createSeal } from '../../ledger/src/sealing/seal.ts'
import { openSqlite } from '../../ledger/src/sqlite/open-sqlite.ts'
import { refusalCheckOf, type refusalChecks } from '../src/faults/refusal-checks.ts'
import type { RefusalReason } from '../../client/src/verify/delivery-refused.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { createIdleAdmin } from './idle-admin.ts'

class Refused extends PawlError {
  readonly code = 'refused_for_test'
}

const password = 'a-password-for-tests'

let gateway: LocalGateway
let handled: string[]
let isMended: boolean

beforeEach(() => {
  handled = []
  isMended = false
})
afterEach(() => gateway.destroy())

/** Does its work once the test has mended its system; until then it parks at once. */
const handler = (name: string) =>
  defineHandler({
    name,
    on: ['prior_authorization.status_change'],
    async handle({ resource }) {
      if (!isMended) throw new Refused('The test refuses.')
      handled.push(`${name} ${resource.id}`)
    },
  })

async function start(env: Record<string, string> = {}) {
  const handlers = [handler('chart'), handler('pharmacy')]
  const { log } = captureLog()
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers, log }, env)
}

/** Leaves the work of both handlers on these resources parked. */
async function park(...ids: string[]): Promise<void> {
  for (const id of ids) await deliver(gateway.url, envelope({ id }))
  await until('all is parked and given back', async () => {
    const { parked, due } = await gateway.ledger.counts()
    return parked === ids.length * 2 && due === 0
  })
}

const ask = (path: string) => request(gateway.adminUrl).get(path)
const retry = (filter: unknown) => request(gateway.adminUrl).post('/api/retry').send(Object(filter))

describe('the admin listener', () => {
  beforeEach(() => start())

  it('says at /readyz that it is ready, and how the ledger stands', async () => {
    await park('pa_req_1')
    const { status, body } = await ask('/readyz')
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'ready', events: 1, unhandled: 0, resources: 1, due: 0, parked: 2 })
  })

  it('shows at /metrics what came, what was run and what is parked', async () => {
    await park('pa_req_1')
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await deliver(gateway.url, 'no envelope')
    const { status, text, headers } = await ask('/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('text/plain')
    for (const line of [
      'pawl_deliveries_total{outcome="stored",code="handled"} 1',
      'pawl_deliveries_total{outcome="duplicate",code="handled"} 1',
      'pawl_deliveries_total{outcome="refused",code="not_json"} 1',
      'pawl_handler_runs_total{handler="chart",result="parked"} 1',
      'pawl_ledger_work_parked 2',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text).not.toContain('pa_req_1')
  })

  it('retries no more than the limit, counts the others, and takes them when asked again', async () => {
    await park('pa_req_1', 'pa_req_2')
    isMended = true
    const all = { all: true, limit: 3 }
    expect((await retry({ ...all, dry_run: true })).body).toMatchObject({ retried: 3, left: 1 })
    expect((await retry(all)).body).toMatchObject({ retried: 3, left: 1 })
    await until('three are handled', () => handled.length === 3)
    expect((await retry(all)).body).toMatchObject({ retried: 1, left: 0 })
    await until('all are handled', () => handled.length === 4)
  })

  it('answers 404 for an unknown resource or handler, without repeating it, and retries nothing', async () => {
    await park('pa_req_1')
    for (const [filter, code] of [
      [{ resource: 'pa_req_9', handler: 'chart' }, 'unknown_resource'],
      [{ resource: 'pa_req_1', handler: 'chard' }, 'unknown_handler'],
    ] as const) {
      const { status, body, text } = await retry(filter)
      expect({ status, body }).toMatchObject({ status: 404, body: { error: { code } } })
      expect(text).not.toMatch(/pa_req_9|chard\b/)
    }
    expect((await ask('/readyz')).body).toMatchObject({ parked: 2 })
  })

  it('refuses a filter with unknown or empty fields, or none, with 400, and retries nothing', async () => {
    await park('pa_req_1')
    const empty = [{ resource: '' }, { resource: 7 }, [], {}, { limit: 10 }]
    for (const body of [{ resourceId: 'pa_req_1' }, { handler: 'chart', all: true }, ...empty]) {
      const answer = await retry(body)
      expect({ status: answer.status, body: answer.body }).toMatchObject({
        status: 400,
        body: { error: { code: 'bad_request' } },
      })
    }
    expect((await ask('/readyz')).body).toMatchObject({ parked: 2 })
  })

  it.each([
    ['what is not JSON', 'application/json', '{"handler":'],
    ['nothing', 'text/plain', ''],
    ['JSON that does not say so, as a form of another site would send it', 'text/plain', '{}'],
  ])('refuses %s with 400', async (_, type, body) => {
    const answer = await request(gateway.adminUrl).post('/api/retry').set('content-type', type).send(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: { code: 'bad_request' } })
  })

  it('takes HEAD where nothing is recorded, and records no view for one', async () => {
    await park('pa_req_1')
    const seen = async () => (await ask('/api/audit')).body.entries.length
    const before = await seen()
    for (const path of ['/readyz', '/metrics']) expect((await request(gateway.adminUrl).head(path)).status).toBe(200)
    for (const path of ['/resources/pa_req_1', '/api/resources/pa_req_1/story', '/audit', '/audit/export', '/report']) {
      const { status, headers } = await request(gateway.adminUrl).head(path)
      expect([path, status, headers['allow']]).toEqual([path, 405, 'GET'])
    }
    // The second reading of the trail is in it, and nothing else.
    expect(await seen()).toBe(before + 1)
  })

  it('refuses a body that is too deep before it reads it', async () => {
    const retryDeep = (depth: number) =>
      request(gateway.adminUrl)
        .post('/api/retry')
        .set('content-type', 'application/json')
        .send(`{"all":true,"more":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    const [held, refused] = [await retryDeep(99), await retryDeep(100)]
    for (const { status } of [held, refused]) expect(status).toBe(400)
    expect(held.body).toMatchObject({ error: { code: 'bad_request' } })
    expect(refused.body).toMatchObject({ error: { code: 'json_too_deep' } })
  })

  it('answers a path that it does not have with 404, as JSON, and with a page in a browser', async () => {
    const page = await ask('/nothing').set('accept', 'text/html,application/xhtml+xml,*/*;q=0.8')
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.text).toContain('There is no page of this address.')

    for (const answer of [await ask('/nothing'), await request(gateway.adminUrl).put('/api/parked')]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  it.each(['evil.example', '127.0.0.1.evil.example', 'evil.example:3001', 'localhost.evil.example', '10.0.0.1'])(
    'refuses a page that reaches it as %s (DNS rebinding)',
    async (host) => {
      for (const path of ['/readyz', '/metrics', '/api/parked'])
        expect((await ask(path).set('host', host)).status).toBe(403)
      expect((await retry({ all: true }).set('host', host)).status).toBe(403)
      expect((await ask('/readyz').set('host', host).set('x-forwarded-host', '127.0.0.1')).status).toBe(403)
    },
  )

  it.each(['127.0.0.1', 'localhost', 'localhost:3001', '[::1]:3001'])('answers as %s', async (host) => {
    expect((await ask('/readyz').set('host', host)).status).toBe(200)
  })
})

describe('/api/status', () => {
  it('knows what to check for every reason', () => {
    expectTypeOf<RefusalReason>().toExtend<keyof typeof refusalChecks>()
    for (const reason of ['brand_new', 'toString', '__proto__'])
      expect(refusalCheckOf(reason)).toBe('See the lines "delivery refused" in the log.')
  })
})

describe('the admin listener with a password', () => {
  beforeEach(() => start({ ADMIN_PASSWORD: password }))

  const wrong: [string, string][] = [
    ['a wrong password', basic('pawl:another-password')],
    ['the start of the password', basic(`pawl:${password.slice(0, -1)}`)],
    ['an empty password', basic('pawl:')],
    ['no colon', basic('pawl')],
    ['no credentials', 'Basic'],
    ['another scheme', `Bearer ${password}`],
    ['what is not Base64', 'Basic %%%'],
  ]
  it.each(wrong)('refuses %s with 401', async (_, authorization) => {
    const { status, headers, text } = await ask('/api/parked').set('authorization', authorization)
    expect({ status, asks: headers['www-authenticate'] }).toEqual({ status: 401, asks: 'Basic realm="pawl"' })
    expect(text).not.toContain('parked')
  })

  it.each(['/readyz', '/metrics', '/api/status', '/api/parked', '/api/resources/pa_req_1', '/nothing'])(
    'refuses %s without one',
    async (path) => {
      expect((await ask(path)).status).toBe(401)
    },
  )

  it('answers with it, under any user name and any host name', async () => {
    expect((await ask('/readyz').set('authorization', basic(`pawl:${password}`))).status).toBe(200)
    const { status } = await ask('/readyz')
      .set('authorization', basic(`:${password}`))
      .set('host', 'pawl.example')
    expect(status).toBe(200)
  })
})

describe('the admin listener of a ledger that does not answer', () => {
  it('answers 503, and logs a code instead of the cause', async () => {
    await start()
    const folder = await mkdtemp(join(tmpdir(), 'pawl-admin-'))
    const storage = await openSqlite(join(folder, 'pawl.db'), systemClock)
    const ledger = createLedger({ storage, seal: createSeal([]) })
    await ledger.close()
    const capture = captureLog()
    const admin = createIdleAdmin({ ledger, log: capture.log })
    const listener: RequestListener = (req, res) => void admin(req, res)
    for (const path of ['/readyz', '/api/status', '/api/parked']) {
      const { status, text } = await request(listener).get(path)
      expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining('"unavailable"') })
    }
    expect(capture.lines()).toHaveLength(3)
    const metrics = await request(listener).get('/metrics')
    expect({ status: metrics.status, text: metrics.text }).toEqual({
      status: 200,
      text: expect.stringContaining('pawl_ledger_up 0'),
    })
    await rm(folder, { recursive: true })
  })
})

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}
