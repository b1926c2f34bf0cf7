import request from 'supertest'
import { expect, it, describe } from 'vitest'
import { startSandbox, startWebhook } from './play.ts'
import { routesBelow } from './routes-below.ts'

/** The controls that are both read and set: a path, what is changed beside it, and what is never shown or moves by itself. */
const controls: { path: string; change: object | unknown[]; each?: true; hidden?: string[] }[] = [
  { path: '/organizations/org_a', change: { workflow: 'non_delegated', daily_prior_auth_limit: 3 } },
  { path: '/organizations/org_a/quotas', change: { 'read-endpoint-minute': 77 } },
  { path: '/organizations/org_a/webhooks', change: { enabled: false, body_digest: true }, each: true },
  { path: '/organizations/org_a/webhooks/main', change: { events: ['prior_authorization.message'] } },
  {
    path: '/organizations/org_a/failures',
    change: [{ operation: 'GET /status', code: 'service_unavailable', times: 2 }],
  },
  { path: '/chaos', change: { sending: { drop: 0.5 }, answering: { slow: 1 } } },
  { path: '/clock', change: { speed: 0 } },
]

async function startWith() {
  const { webhook } = await startWebhook()
  const started = await startSandbox({
    clock: { now: () => 1_767_225_600_000 },
    organizations: [{ id: 'org_a', dailyNewPlanLimit: 9, webhooks: [webhook] }],
  })
  const { app } = started.sandbox
  const send = (method: 'get' | 'put' | 'patch', path: string, body?: object) =>
    request(app)[method](`/_sandbox${path}`).send(body)
  const routes = routesBelow(started.sandbox, '/_sandbox').map((route) =>
    route.replace(/^\w+/, (method) => method.toLowerCase()),
  )
  return { ...started, webhook, send, routes }
}

/** `/organizations/org_a` for `/organizations/:organization`. */
const isPathOf = (path: string, route: string) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)

describe('the answer of a control', () => {
  it.each(controls)('$path accepts its own GET answer', async ({ path, change, each }) => {
    const { send, routes, sandbox, webhook, call } = await startWith()
    const read = async () => (await send('get', path).expect(200)).body.data
    const methods = (['put', 'patch'] as const).filter((method) =>
      routes.some((route) => route.startsWith(`${method} `) && isPathOf(path, route.slice(method.length + 1))),
    )
    expect(methods.length).toBeGreaterThan(0)
    for (const method of methods) {
      const before = await read()
      const list: object[] = each === undefined ? [before] : before
      const changed = Array.isArray(change) ? change : list.map((one) => ({ ...one, ...change }))
      for (const body of Array.isArray(change) ? [change] : changed) await send(method, path, body).expect(200)
      if (path !== '/clock') expect(await read()).not.toEqual(before)
      for (const body of list) await send(method, path, body).expect(200)
      expect(await read()).toEqual(before)
      expect(JSON.stringify(before)).not.toMatch(/"[a-z]+[A-Z]\w*":/)
    }
    // The secrets are never shown, and are not lost.
    expect(JSON.stringify(sandbox.controls.listOrganizations())).not.toContain(webhook.secret)
    await call('get', '/status').expect(200)
  })

  it('exists for every control that can be set', async () => {
    const { routes } = await startWith()
    const pathsOf = (...methods: string[]) =>
      new Set(routes.filter((route) => methods.includes(route.split(' ')[0] ?? '')).map((route) => route.split(' ')[1]))
    const settable = [...pathsOf('put', 'patch')].filter((path) => path !== undefined)
    expect(settable.filter((path) => !pathsOf('get').has(path))).toEqual([])
    expect(settable.filter((route) => !controls.some(({ path }) => isPathOf(path, route)))).toEqual([])
  })
})

describe('a change', () => {
  it('by PATCH leaves the rest alone; by PUT resets the rest to defaults', async () => {
    const { send } = await startWith()
    await send('patch', '/organizations/org_a', { pharmacy: true, quotas: { 'pa-create-24h': 5 } }).expect(200)
    const patched = (await send('patch', '/organizations/org_a', { api_access: false }).expect(200)).body.data
    expect(patched).toMatchObject({ pharmacy: true, api_access: false, daily_new_plan_limit: 9 })
    expect(patched).toMatchObject({ quotas: { 'pa-create-24h': 5 }, daily_prior_auth_limit: null })
    const put = (await send('put', '/organizations/org_a', { api_access: false }).expect(200)).body.data
    expect(put).toMatchObject({ pharmacy: false, api_access: false, daily_new_plan_limit: null })
    expect(put).toMatchObject({ webhooks: [{ name: 'main', enabled: true }], quotas: { 'pa-create-24h': 5 } })

    await send('patch', '/organizations/org_a/quotas', { 'bv-drug-24h': 7 }).expect(200)
    const quotas = (await send('get', '/organizations/org_a/quotas').expect(200)).body.data
    expect(quotas).toMatchObject({ 'bv-drug-24h': 7, 'pa-create-24h': 5 })
    const reset = (await send('put', '/organizations/org_a/quotas', { 'bv-drug-24h': 8 }).expect(200)).body.data
    expect(reset).toMatchObject({ 'bv-drug-24h': 8, 'pa-create-24h': 5_000_000 })

    await send('put', '/chaos', { sending: { drop: 0.5, delay: 0.25 } }).expect(200)
    const chaos = (await send('patch', '/chaos', { sending: { drop: 0 } }).expect(200)).body.data
    expect(chaos.sending).toMatchObject({ drop: 0, delay: 0.25 })
  })

  it.each([
    ['put', '/organizations/org_a', { workflows: 'x' }, 'workflows', 'use one of: id, workflow, manual_review'],
    ['put', '/organizations/org_a', { id: 'org_b' }, 'id', 'must be org_a'],
    ['put', '/organizations/org_a', { workflow: 'x' }, 'workflow', '"delegated"|"non_delegated"'],
    [
      'put',
      '/organizations/org_a',
      { webhooks: [{ name: 'x', url: 'http://x' }] },
      'secret',
      'no webhook x to take the secret from',
    ],
    ['patch', '/organizations/org_a/quotas', { 'no-such': 1 }, 'no-such', 'use one of: read-endpoint-minute'],
    ['patch', '/chaos', { sending: { nonsense: 1 } }, 'nonsense', 'use one of: duplicate, reorder'],
    ['put', '/organizations/org_a/webhooks', { name: 'n', url: 'http://x' }, 'secret', 'Field required'],
    ['patch', '/organizations/org_a/webhooks/main', { name: 'x' }, 'name', 'must be main'],
    ['patch', '/organizations/org_a/webhooks/main', { events: ['x'] }, 'events', 'benefit_verification.status_change'],
    ['put', '/clock', { now: '2099-01-01T00:00:00Z' }, 'now', 'within 30 years'],
    ['put', '/clock', { time: 1 }, 'time', 'use one of: speed, now, advance_ms'],
  ] as const)('%s %s of %j is refused at %s with what is legal', async (method, path, body, field, msg) => {
    const { send } = await startWith()
    const { detail } = (await send(method, path, body).expect(422)).body
    expect(detail[0].loc.join('.')).toContain(field)
    expect(detail[0].msg).toContain(msg)
  })

  it('of an unknown webhook or organization names the existing ones', async () => {
    const { send } = await startWith()
    for (const [path, legal] of [
      ['/organizations/org_x', 'org_a'],
      ['/organizations/org_x/quotas', 'org_a'],
      ['/organizations/org_a/webhooks/other', 'main'],
    ] as const)
      expect((await send('patch', path, {}).expect(404)).body.error.description).toContain(legal)
  })
})
