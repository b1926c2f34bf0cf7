import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'

import {
  type IdentityProvider,
  type IdentityProviderOptions,
  oidcClient,
  startIdentityProvider,
} from '../../../test/support/identity-provider.ts'
import { hasProvider } from '../../../test/foreign/oidc-provider.ts'
import { hashPassword } from '../../base/src/password-hash.ts'
import { until } from '../../../test/support/until.ts'
import { freePort } from '../../../test/support/spawn-pawl.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { browserPath, startBrowser } from './browser.ts'

let gateway: LocalGateway
let provider: IdentityProvider
const log = captureLog('info')
const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }

beforeEach(async () => {
  log.clear()
  await start()
})

async function start(options: IdentityProviderOptions = {}, env: Record<string, string> = {}): Promise<void> {
  const port = String(await freePort())
  const publicUrl = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider(`${publicUrl}/login/oidc/callback`, options)
  gateway = await startLocalGateway(
    { api: createScriptedApi().api, handlers: [], log: log.log },
    {
      ADMIN_PORT: port,
      ADMIN_URL: publicUrl,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: oidcClient.id,
      OIDC_CLIENT_SECRET: oidcClient.secret,
      ...env,
    },
  )
}
async function stop(): Promise<void> {
  await gateway.destroy()
  await provider.close()
}
afterEach(stop)

const trail = async (action: string) =>
  (await gateway.ledger.readAudit({ after: 0 }, 1_000)).filter((each) => each.action === action)

/** A browser that keeps cookies by host, and follows nothing by itself. */
function createClient() {
  const jar = new Map<string, Map<string, string>>()
  return async (url: string | URL): Promise<Response> => {
    const { host } = new URL(url)
    const cookies = jar.get(host) ?? new Map<string, string>()
    jar.set(host, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html', cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
}

/** Follows redirects until the address of the console that the provider sends people back to, which is not opened yet. */
async function goToCallback(get: ReturnType<typeof createClient>, to = '/events'): Promise<URL> {
  let at = new URL(`${gateway.adminUrl}/login/oidc?to=${encodeURIComponent(to)}`)
  for (let steps = 0; steps < 10; steps += 1) {
    const location = (await get(at)).headers.get('location')
    if (location === null) throw new Error(`no way on from ${at.pathname}`)
    at = new URL(location, at)
    if (at.pathname === '/login/oidc/callback') return at
  }
  throw new Error('redirected for ever')
}

describe.skipIf(!hasProvider)('a login at an identity provider', () => {
  it('begins a session with the name and the roles that its token names', async () => {
    provider.person = { subject: 'u-7', username: 'maria', roles: ['operator', 'everybody', 'toString'] }
    const get = createClient()
    const callback = await goToCallback(get)
    const answer = await get(callback)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('content="0; url=/events"')
    expect(await (await get(`${gateway.adminUrl}/events`)).text()).toContain('<span>maria</span>')
    expect((await get(`${gateway.adminUrl}/audit`)).status).toBe(403)
    expect(await trail('person.login')).toMatchObject([
      {
        actor: {
          name: 'maria',
          via: 'admin',
          auth: 'oidc',
          account: { issuer: provider.issuer, subject: 'u-7' },
        },
        details: { roles: ['operator'] },
      },
    ])
  })

  it('is recorded with issuer and subject in every entry of its session', async () => {
    provider.person = { subject: 'u-7', username: 'Maria@Clinic.example', roles: ['operator', 'privacy_officer'] }
    const get = createClient()
    await get(await goToCallback(get))
    await get(`${gateway.adminUrl}/api/audit`)
    const actor = { name: 'maria@clinic.example', account: { issuer: provider.issuer, subject: 'u-7' } }
    for (const action of ['person.login', 'audit.view']) expect(await trail(action)).toMatchObject([{ action, actor }])
    expect(await gateway.ledger.verifyAudit()).toMatchObject({ faults: [] })
  })

  it.each<IdentityProviderOptions>([
    { takes: 'client_secret_basic' },
    { takes: 'client_secret_basic', states: undefined },
    { takes: 'client_secret_basic', states: ['client_secret_post', 'client_secret_basic'] },
    { takes: 'client_secret_post' },
  ])('works at a provider that %o', async (options) => {
    await stop()
    await start(options)
    const get = createClient()
    expect((await get(await goToCallback(get))).status).toBe(200)
  })

  it('is refused where the ID token has the signature of another key, or was issued for another party', async () => {
    const attempt = async (forge: IdentityProvider['forge']) => {
      provider.forge = forge
      const get = createClient()
      return (await get(await goToCallback(get))).status
    }
    const aud = [oidcClient.id, 'another-client']
    expect(await attempt({ key: 'foreign' })).toBe(401)
    expect(await attempt({ claims: (right) => ({ ...right, aud }) })).toBe(401)
    expect(await attempt({ claims: (right) => ({ ...right, aud, azp: 'another-client' }) })).toBe(401)
    expect(await attempt({ claims: (right) => ({ ...right, aud: 'another-client' }) })).toBe(401)
    expect(await attempt({ claims: (right) => ({ ...right, azp: 'another-client' }) })).toBe(401)
    expect(await trail('person.login')).toEqual([])
    expect(await attempt({ claims: (right) => ({ ...right, aud, azp: oidcClient.id }) })).toBe(200)
  })

  it('is refused under the name of another subject, in any letters, and of one of ADMIN_USERS', async () => {
    await stop()
    const users = [{ name: 'Alice', roles: ['viewer'], password: await hashPassword('a long password') }]
    await start({}, { ADMIN_USERS: JSON.stringify(users) })
    const attempt = async (subject: string, username: string) => {
      provider.person = { subject, username, roles: ['operator'] }
      const get = createClient()
      const { status } = await get(await goToCallback(get))
      return [status, (await get(`${gateway.adminUrl}/events`)).status]
    }
    expect(await attempt('u-7', 'maria')).toEqual([200, 200])
    expect(await attempt('u-7', 'maria')).toEqual([200, 200])
    for (const name of ['maria', 'MARIA', 'alice', 'ALICE', 'pawl'])
      expect(await attempt('u-evil', name)).toEqual([403, 303])
    expect((await trail('person.login')).map(({ actor }) => actor.account?.subject)).toEqual(['u-7', 'u-7'])
    await until('the refusal in the trail', async () => (await trail('person.refuse')).length > 0)
    expect(await trail('person.refuse')).toMatchObject([
      { actor: { name: 'unknown', account: { subject: 'u-evil' } }, details: { reason: 'name_taken' } },
    ])
  })

  it.each(['maria\u202e', 'mаria', 'maria smith', 'maria.', 'maria\u0007', 'm'.repeat(121), ''])(
    'has a name made of its subject where %j is no name',
    async (username) => {
      provider.person = { subject: 'u-7', username, roles: ['viewer'] }
      const get = createClient()
      await get(await goToCallback(get))
      const [login] = await trail('person.login')
      expect(login?.actor).toMatchObject({
        name: expect.stringMatching(/^#[0-9a-f]{16}$/),
        account: { subject: 'u-7' },
      })
    },
  )

  it('asks with PKCE, a state and a nonce of its own each time', async () => {
    const asked = async () => {
      const { headers } = await request(gateway.adminUrl).get('/login/oidc').set(page).expect(303)
      return new URL(String(headers.location)).searchParams
    }
    const [one, other] = [await asked(), await asked()]
    expect(one.get('code_challenge_method')).toBe('S256')
    for (const name of ['code_challenge', 'state', 'nonce']) {
      expect(one.get(name)?.length).toBeGreaterThan(20)
      expect(one.get(name)).not.toBe(other.get(name))
    }
  })

  it('is not believed with another state, another code, twice, or in a browser that never asked', async () => {
    const refuse = async (get: ReturnType<typeof createClient>, url: URL) => {
      const answer = await get(url)
      expect(answer.status).toBe(401)
      expect((await get(gateway.adminUrl)).status).toBe(303)
    }
    const get = createClient()
    const callback = await goToCallback(get)
    await refuse(createClient(), callback)
    const altered = (name: string) => {
      const url = new URL(callback)
      url.searchParams.set(name, 'guessed')
      return url
    }
    await refuse(get, altered('state'))
    // The stored state is good for one answer.
    await refuse(get, callback)
    const second = createClient()
    await goToCallback(second)
    await refuse(second, altered('code'))
    expect(await trail('person.login')).toEqual([])
    expect((await trail('person.refuse')).map(({ actor, details }) => [actor.name, details.by])).toEqual([
      ['unknown', 'oidc'],
    ])
    expect(log.text()).not.toContain(oidcClient.secret)
  })

  it('lets a person without a role do nothing', async () => {
    provider.person = { subject: 'u-8', username: 'nora', roles: ['everybody'] }
    const get = createClient()
    await get(await goToCallback(get))
    const answer = await get(gateway.adminUrl)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('nora may not read anything here')
  })

  it('says so where the provider is away, and tries it again the next time', async () => {
    await provider.close()
    const { text } = await request(gateway.adminUrl).get('/login/oidc').set(page).expect(503)
    expect(text).toContain('did not answer')
  })

  it.each(['/.well-known/', '/token'])('is refused where the answers of %s never end', async (path) => {
    provider.endless = path
    const get = createClient()
    if (path === '/token') expect((await get(await goToCallback(get))).status).toBe(401)
    else expect((await get(`${gateway.adminUrl}/login/oidc`)).status).toBe(503)
    expect(log.text()).toContain('BODY_TOO_LARGE')
  })

  it.skipIf(browserPath === undefined)('works in a browser, session cookie and all', async () => {
    const browser = await startBrowser()
    const tab = await browser.newPage()
    await tab.goto(`${gateway.adminUrl}/handlers`)
    await tab.getByRole('link', { name: "Log in with your organization's account" }).click()
    await tab.getByRole('heading', { name: 'Handlers' }).waitFor()
    await tab.getByText('maria').waitFor()
    await browser.close()
  })
})

describe('a proxy that says who asks', () => {
  const asked = (headers: Record<string, string>) =>
    request(gateway.adminUrl).post('/api/pause').set(headers).send({ all: true })

  const trust = async (trusted: string, env: Record<string, string> = {}) => {
    await gateway.destroy()
    gateway = await startLocalGateway(
      { api: createScriptedApi().api, handlers: [], log: log.log },
      {
        TRUSTED_PROXIES: trusted,
        ADMIN_PROXY_USER_HEADER: 'X-Forwarded-User',
        ADMIN_PROXY_ROLES_HEADER: 'X-Forwarded-Groups',
        ...env,
      },
    )
  }

  it('is believed from its own address, with the roles that there are', async () => {
    await trust('127.0.0.1')
    expect((await asked({ 'x-forwarded-user': 'maria', 'x-forwarded-groups': 'staff, viewer' })).status).toBe(403)
    expect((await asked({ 'x-forwarded-user': 'maria', 'x-forwarded-groups': 'staff,operator' })).status).toBe(200)
    expect((await asked({ 'x-forwarded-groups': 'operator' })).status).toBe(401)
    expect((await asked({ 'x-forwarded-user': 'maria' })).status).toBe(403)
    expect(await trail('work.pause')).toMatchObject([{ actor: { name: 'maria', via: 'admin', auth: 'proxy' } }])
  })

  it('is not believed with a name of ADMIN_USERS, of an account of the provider, or of other letters', async () => {
    const users = [{ name: 'Alice', roles: ['viewer'], password: await hashPassword('a long password') }]
    const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: oidcClient.id, OIDC_CLIENT_SECRET: oidcClient.secret }
    await trust('127.0.0.1', { ADMIN_USERS: JSON.stringify(users), ADMIN_URL: 'http://127.0.0.1:9', ...oidc })
    const account = { issuer: provider.issuer, subject: 'u-7' }
    const rivals = { issuer: provider.issuer, proxy: true }
    const login = (name: string, subject: string) =>
      gateway.ledger.admit({ actor: { name, via: 'admin', auth: 'oidc', account: { ...account, subject } }, rivals })
    expect(await login('maria', 'u-7')).toBe(true)
    const status = async (name: string) =>
      (await asked({ 'x-forwarded-user': name, 'x-forwarded-groups': 'operator' })).status
    for (const name of [
      'maria',
      'Maria',
      'alice',
      'ALICE',
      'unnamed',
      'nora smith',
      'n\u00f6ra',
      'nora\u0007'.slice(0, 4) + '!',
    ])
      expect([name, await status(name)]).toEqual([name, 401])
    expect(await status('nora')).toBe(200)
    expect(await status('Nora')).toBe(200)
    expect(await login('nora', 'u-8')).toBe(false)
    expect((await trail('person.login')).map(({ actor }) => [actor.name, actor.auth])).toEqual([
      ['maria', 'oidc'],
      ['nora', 'proxy'],
    ])
  })

  it('is not believed from any other address, even if the request claims the right one', async () => {
    await trust('192.0.2.7')
    const headers = { 'x-forwarded-user': 'maria', 'x-forwarded-groups': 'operator', 'x-forwarded-for': '192.0.2.7' }
    expect((await asked(headers)).status).toBe(401)
  })
})
