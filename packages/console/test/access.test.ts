import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Express } from 'express'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { createAddressRanges } from '../../base/src/net/address-ranges.ts'
import { routeRules } from '../src/access/route-rules.ts'
import { hashPassword, verifyPassword } from '../../base/src/password-hash.ts'
import { type Right, type Role, rightsOf } from '../../base/src/roles.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { createIdleAdmin } from './idle-admin.ts'
import { openToThisMachine } from './open-to-this-machine.ts'

const shared = 'a-password-that-serves-all'
const own = 'a-password-of-their-own'
const hash = await hashPassword(own)
const people: Record<string, Role[]> = {
  vera: ['viewer'],
  olga: ['operator'],
  petra: ['privacy_officer'],
  rita: ['operator', 'reveal'],
  stella: ['requester'],
}
const users = JSON.stringify(Object.entries(people).map(([name, roles]) => ({ name, roles, password: hash })))

let gateway: LocalGateway
const log = captureLog('info')
afterEach(async () => {
  await gateway?.destroy()
  expect(log.text()).not.toContain(own)
  expect(log.text()).not.toContain(shared)
})

async function start(env: Record<string, string> = { ADMIN_USERS: users, ADMIN_PASSWORD: shared }) {
  log.clear()
  const handler = defineHandler({ name: 'chart', on: ['prior_authorization.status_change'], handle: async () => {} })
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [handler], log: log.log }, env)
}

const as = (name: string, password = own) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }
const trail = (action: string) =>
  gateway.ledger.readAudit({ after: 0 }, 1_000).then((all) => all.filter((each) => each.action === action))

const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** Sends the form of the login page, as a browser does. */
async function logIn(name: string, password = own, to = '/') {
  const { text } = await request(gateway.adminUrl).get('/login').set(page)
  const fields = { token: tokenIn(text), name, password, to }
  return request(gateway.adminUrl).post('/login').type('form').set(page).send(fields)
}
const cookieOf = (response: request.Response) => [response.headers['set-cookie']].flat()[0]?.split(';', 1)[0] ?? ''

/** The routes of an app, as Express keeps them. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> }
  handle?: { stack?: Layer[] }
}
const routesOf = (layers: readonly Layer[]): string[] =>
  layers.flatMap(({ route, handle }) =>
    route === undefined
      ? routesOf(handle?.stack ?? [])
      : [route.path].flat().flatMap((path) => Object.keys(route.methods).map((method) => `${method} ${path}`)),
  )

describe('the rules of routes', () => {
  const nobody = async () => {
    throw new Error('not asked')
  }
  const oidc = {
    issuer: 'https://id.example',
    clientId: 'pawl',
    clientSecret: 'secret-for-tests',
    rolesClaim: 'roles',
    publicUrl: 'https://pawl.example',
  }

  function createApp(): Express {
    // No route is asked anything: only which there are is looked at.
    const ledger = new Proxy({}, { get: () => nobody }) as never
    return createIdleAdmin({
      ledger,
      access: { ...openToThisMachine, password: shared, oidc, trustedProxies: createAddressRanges([]) },
    })
  }

  it('know every route that there is, and no other', () => {
    // Express says of its router that it has these.
    const layers = (createApp().router as unknown as { stack: Layer[] }).stack
    // The first is the guard's own, which has them all by making.
    const [guard, ...rest] = layers.filter(({ handle }) => (handle?.stack?.length ?? 0) > 0 || handle === undefined)
    expect(routesOf([guard ?? {}])).toHaveLength(routeRules.length)
    const others = layers.filter((layer) => layer !== guard)
    expect(rest.length).toBeGreaterThan(0)
    const ruled = routeRules.map(({ method, path }) => `${method} ${path}`)
    expect([...new Set(routesOf(others))].toSorted()).toEqual(ruled.toSorted())
    expect(new Set(ruled).size).toBe(ruled.length)
  })

  it('let readers read and operators change things, but for these', () => {
    const others = routeRules.filter(({ method, needs }) => needs !== (method === 'get' ? 'view' : 'operate'))
    expect(others.map(({ method, path, needs }) => `${needs}: ${method} ${path}`).toSorted()).toEqual([
      'nothing: get /assets/:name',
      'nothing: get /login',
      'nothing: get /login/oidc',
      'nothing: get /login/oidc/callback',
      'nothing: post /login',
      'nothing: post /logout',
      'privacy: get /api/audit',
      'privacy: get /api/audit/verdict',
      'privacy: get /audit',
      'privacy: get /audit/export',
      'privacy: get /erase',
      'privacy: get /erase/jobs/:id',
      'privacy: post /api/audit/acknowledge',
      'privacy: post /api/patients/erase',
      'privacy: post /api/patients/find',
      'privacy: post /api/patients/wipe',
      'privacy: post /audit/acknowledge',
      'privacy: post /audit/verify',
      'privacy: post /erase',
      'privacy: post /erase/jobs/:id',
      'reveal: post /api/resources/:id/reveal',
      'reveal: post /resources/:id/reveal',
      'start: get /start',
      'start: post /api/requests/draft',
      'start: post /api/requests/start',
      'start: post /start',
      'start: post /start/send',
      'view: post /api/resources/find',
      'view: post /resources/find',
    ])
  })
})

describe('the rights of people', () => {
  it('are asked for by every route, with any request', async () => {
    await start()
    for (const { method, path, needs } of routeRules) {
      if (needs === 'nothing') continue
      const address = path.replace(':id', 'pa_req_1').replace(':name', 'style.css')
      expect({ path, status: (await request(gateway.adminUrl)[method](address)).status }).toEqual({ path, status: 401 })
      for (const [name, roles] of Object.entries(people)) {
        if (rightsOf(roles).has(needs)) continue
        const { status, body } = await request(gateway.adminUrl)[method](address).set(as(name))
        expect({ path, name, status }).toEqual({ path, name, status: 403 })
        expect(body).toMatchObject({ error: { code: 'forbidden', message: expect.stringContaining(needs) } })
      }
    }
  })

  const uses: [Right, 'get' | 'post', string, object][] = [
    ['view', 'get', '/api/status', {}],
    ['operate', 'post', '/api/retry', { all: true }],
    ['privacy', 'get', '/api/audit', {}],
    ['privacy', 'post', '/api/patients/find', { internal_id: 'none', reason: 'a request' }],
    ['reveal', 'post', '/api/resources/pa_req_1/reveal', { reason: 'a question' }],
    ['start', 'get', '/start', {}],
  ]
  it('let through every person who has them, and the shared password', async () => {
    await start()
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('it is read', async () => (await gateway.ledger.history('pa_req_1', 1, {}))?.resource.snapshotAt)
    for (const [right, method, path, body] of uses) {
      const who = Object.keys(people).filter((name) => rightsOf(people[name] ?? []).has(right))
      for (const credentials of [...who.map((name) => as(name)), as('anybody', shared)]) {
        const { status } = await request(gateway.adminUrl)[method](path).set(credentials).send(body)
        expect({ path, status }).toEqual({ path, status: 200 })
      }
    }
  })

  it('cannot be had under another spelling of an address', async () => {
    await start()
    for (const path of ['/API/audit', '/api/audit/', '/api//audit', '/api/%61udit', '/AUDIT', '/audit/'])
      expect({ path, status: (await request(gateway.adminUrl).get(path).set(as('vera'))).status }).not.toEqual({
        path,
        status: 200,
      })
  })

  it('are missed in the trail: once at first, with what came after in one more entry', async () => {
    await start()
    for (let times = 0; times < 5; times += 1)
      await request(gateway.adminUrl).post('/api/pause').set(as('vera')).send({ all: true }).expect(403)
    expect(await trail('access.refuse')).toMatchObject([
      {
        actor: { name: 'vera', via: 'admin', auth: 'password' },
        details: { route: 'POST /api/pause', needs: 'operate' },
      },
    ])
    expect(await gateway.ledger.pauses()).toEqual([])
  })
})

describe('a password', () => {
  it('is right for its own name alone, and the shared one for no name of a person', async () => {
    await start()
    const ask = (headers: Record<string, string>) => request(gateway.adminUrl).get('/readyz').set(headers)
    expect((await ask(as('vera'))).status).toBe(200)
    expect((await ask(as('anybody', shared))).status).toBe(200)
    for (const wrong of [as('vera', shared), as('nobody'), as('vera', `${own}x`), as('', own), as('vera', '')])
      expect((await ask(wrong)).status).toBe(401)
  })

  it('records in the trail the authenticated name, else the claimed one', async () => {
    await start()
    const pause = (headers: Record<string, string>) =>
      request(gateway.adminUrl).post('/api/pause').set(headers).send({ all: true }).expect(200)
    await pause({ ...as('olga'), 'x-pawl-actor': 'maria@ops-1' })
    await request(gateway.adminUrl).post('/api/resume').set(as('olga')).send({ all: true })
    await pause({ ...as('pawl', shared), 'x-pawl-actor': 'maria@ops-1' })
    expect((await trail('work.pause')).map(({ actor }) => actor)).toEqual([
      { name: 'olga', via: 'admin', auth: 'password' },
      { name: 'maria@ops-1', via: 'admin', auth: 'shared_password' },
    ])
    expect(await gateway.ledger.verifyAudit()).toMatchObject({ faults: [] })
  })

  it('is locked after too many wrong guesses, even concurrent ones, and then the right one is refused too', async () => {
    await start()
    const ask = (name: string, password: string) => request(gateway.adminUrl).get('/readyz').set(as(name, password))
    expect((await ask('vera', own)).status).toBe(200)
    const guesses = Array.from({ length: 120 }, (_, times) =>
      ask('vera', `guess-${times}`).then(({ status }) => status),
    )
    const statuses = await Promise.all(guesses)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(110)
    const { status, headers, body } = await ask('vera', own)
    expect({ status, body }).toMatchObject({ status: 429, body: { error: { code: 'too_many_requests' } } })
    const seconds = Number(headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(900)
    expect(body.error.message).toBe(`Too many wrong passwords: wait ${seconds} s, then try again.`)
    // Another person at the same address, by an own password or the one that serves all, goes on.
    expect((await ask('olga', own)).status).toBe(200)
    expect((await ask('maria@ops-1', shared)).status).toBe(200)
    await until('it is in the trail', async () => (await trail('person.refuse')).length > 0)
    expect(await trail('person.refuse')).toMatchObject([
      { actor: { name: 'vera' }, details: { by: 'basic', address: '127.0.0.1' } },
    ])
  })

  it('is held back at the login page as elsewhere, with the wait in seconds', async () => {
    await start()
    for (let times = 0; times < 5; times += 1)
      await request(gateway.adminUrl)
        .get('/readyz')
        .set(as('vera', `guess-${times}`))
        .expect(401)
    for (let times = 0; times < 5; times += 1) expect((await logIn('vera', `other-guess-${times}`)).status).toBe(401)
    const { status, headers, text } = await logIn('vera')
    expect(status).toBe(429)
    expect(text).toContain(`wait ${headers['retry-after']} s`)
    await request(gateway.adminUrl).get('/readyz').set(as('vera')).expect(429)
  })

  it('is refused in the trail with how often, once the process stops, and never with what was typed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-access-'))
    const env = { ADMIN_PASSWORD: shared, DATABASE_URL: `file:${join(folder, 'pawl.db')}` }
    await start(env)
    for (let times = 0; times < 4; times += 1)
      await request(gateway.adminUrl).get('/readyz').set(as('typed-by-mistake', 'wrong')).expect(401)
    await gateway.close()
    await start(env)
    await until('all are in the trail', async () => (await trail('person.refuse')).length > 1)
    const refused = await trail('person.refuse')
    await gateway.close()
    await rm(folder, { recursive: true })
    expect(refused.map(({ details }) => details.more)).toEqual([undefined, 3])
    expect(JSON.stringify(refused)).not.toContain('typed-by-mistake')
  })

  it('is hashed with a salt of its own, and has one form however it was typed', async () => {
    const [one, other] = await Promise.all([hashPassword('Zoë-und-noch-mehr'), hashPassword('Zoë-und-noch-mehr')])
    expect(one).not.toBe(other)
    expect(await verifyPassword('Zoë-und-noch-mehr'.normalize('NFD'), one)).toBe(true)
    expect(await verifyPassword('Zoe-und-noch-mehr', one)).toBe(false)
    await expect(verifyPassword('x', 'plain')).rejects.toThrow(TypeError)
  })
})

describe('a session', () => {
  it('that has ended is told on the login page, and only to a browser that had one', async () => {
    await start()
    const login = (cookie: string) => request(gateway.adminUrl).get('/login').set(page).set('cookie', cookie)
    expect((await login('__Host-pawl=sealed-before-a-restart')).text).toContain('Your session has ended.')
    expect((await login('other=1')).text).not.toContain('Your session has ended.')
  })

  it('begins with the form of the login page, and is known by its cookie alone', async () => {
    await start()
    const { status, headers } = await request(gateway.adminUrl).get('/parked?error=x').set(page)
    expect({ status, to: headers.location }).toEqual({ status: 303, to: '/login?to=%2Fparked%3Ferror%3Dx' })
    const login = await logIn('olga', own, '/parked?error=x')
    expect({ status: login.status, to: login.headers.location }).toEqual({ status: 303, to: '/parked?error=x' })
    const [cookie = ''] = [login.headers['set-cookie']].flat()
    expect(cookie).toMatch(/^__Host-pawl=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    const { text } = await request(gateway.adminUrl).get('/parked').set(page).set('cookie', cookieOf(login)).expect(200)
    expect(text).toContain('olga')
    expect(await trail('person.login')).toMatchObject([
      { actor: { name: 'olga', auth: 'password' }, details: { address: '127.0.0.1', roles: ['operator'] } },
    ])
  })

  it('begins neither with a wrong password nor with a form of another origin', async () => {
    await start()
    const wrong = await logIn('olga', 'another-password')
    expect({ status: wrong.status, cookie: wrong.headers['set-cookie'] }).toEqual({ status: 401, cookie: undefined })
    expect(wrong.text).toContain('The name or the password is wrong.')
    const { text } = await request(gateway.adminUrl).get('/login').set(page)
    const send = (headers: Record<string, string>, fields: object) =>
      request(gateway.adminUrl)
        .post('/login')
        .type('form')
        .set(headers)
        .send({ name: 'olga', password: own, ...fields })
    expect((await send({ 'sec-fetch-site': 'cross-site' }, { token: tokenIn(text) })).status).toBe(403)
    expect((await send({ origin: 'http://elsewhere.example' }, { token: tokenIn(text) })).status).toBe(403)
    expect((await send(page, {})).status).toBe(400)
    expect((await send({}, { token: tokenIn(text) })).status).toBe(400)
  })

  it('leads nowhere else', async () => {
    await start()
    for (const to of ['//elsewhere.example', 'https://elsewhere.example', '/\\elsewhere.example', 'javascript:x'])
      expect((await logIn('olga', own, to)).headers.location).toBe('/')
    const { text } = await request(gateway.adminUrl)
      .get('//elsewhere.example/x')
      .set({ accept: 'text/html', 'sec-fetch-site': 'cross-site' })
    expect(text).not.toContain('elsewhere')
  })

  it('ends for good at the logout', async () => {
    await start()
    const cookie = cookieOf(await logIn('olga'))
    const asOlga = () => request(gateway.adminUrl).get('/').set(page).set('cookie', cookie)
    const token = tokenIn((await asOlga().expect(200)).text)
    const out = (fields: object) =>
      request(gateway.adminUrl).post('/logout').type('form').set(page).set('cookie', cookie).send(fields)
    expect((await out({ token: 'guessed' })).status).toBe(403)
    expect((await asOlga()).status).toBe(200)
    const { status, headers } = await out({ token })
    expect({ status, to: headers.location }).toEqual({ status: 303, to: '/login' })
    expect(String(headers['set-cookie'])).toContain('Max-Age=0')
    expect((await asOlga()).status).toBe(303)
    expect(await trail('person.logout')).toMatchObject([{ actor: { name: 'olga', auth: 'password' } }])
  })

  it('has forms of its own: those of another one change nothing', async () => {
    await start()
    const [olga, rita] = [cookieOf(await logIn('olga')), cookieOf(await logIn('rita'))]
    const { text } = await request(gateway.adminUrl).get('/resources').set(page).set('cookie', olga)
    const find = (cookie: string) =>
      request(gateway.adminUrl)
        .post('/resources/find')
        .type('form')
        .set(page)
        .set('cookie', cookie)
        .send({ token: tokenIn(text), value: 'x' })
    expect((await find(rita)).status).toBe(403)
    expect((await find(olga)).status).toBe(200)
  })

  it('changes nothing for a page of elsewhere, by a form or by JSON', async () => {
    await start()
    const cookie = cookieOf(await logIn('olga'))
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }])
      await request(gateway.adminUrl)
        .post('/api/pause')
        .set({ ...headers, cookie })
        .send({ all: true })
        .expect(403)
    expect(await gateway.ledger.pauses()).toEqual([])
  })

  it('goes on in another process with the same sealing key, unless the password is another by then', async () => {
    const sealing = { SEALING_KEYS: Buffer.alloc(32, 7).toString('base64') }
    await start({ ADMIN_USERS: users, ...sealing })
    const cookie = cookieOf(await logIn('olga'))
    await gateway.destroy()
    const statusWith = async (env: Record<string, string>) => {
      await start(env)
      return (await request(gateway.adminUrl).get('/').set(page).set('cookie', cookie)).status
    }
    expect(await statusWith({ ADMIN_USERS: users, ...sealing })).toBe(200)
    await gateway.destroy()
    const changed = JSON.stringify([{ name: 'olga', roles: ['operator'], password: await hashPassword('another-one') }])
    expect(await statusWith({ ADMIN_USERS: changed, ...sealing })).toBe(303)
    await gateway.destroy()
    expect(await statusWith({ ADMIN_USERS: users })).toBe(303)
  })

  it('is not asked for by what programs use, and no browser is asked for a password by itself', async () => {
    await start()
    for (const path of ['/api/status', '/metrics', '/readyz', '/live']) {
      const plain = await request(gateway.adminUrl).get(path).set('accept', 'text/html')
      expect({ path, status: plain.status, asks: plain.headers['www-authenticate'] }).toMatchObject({
        status: 401,
        asks: 'Basic realm="pawl"',
      })
      const { headers } = await request(gateway.adminUrl).get(path).set('sec-fetch-mode', 'cors')
      expect(headers['www-authenticate']).toBeUndefined()
    }
  })
})
