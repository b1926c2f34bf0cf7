import fc from 'fast-check'
import { routeRules } from '../../packages/console/src/access/route-rules.ts'
import { hashPassword } from '../../packages/base/src/password-hash.ts'
import { oidcClient, startIdentityProvider } from '../support/identity-provider.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { must } from './aftermath.ts'
import { startAttackedGateway } from './attacked-gateway.ts'
import { type Held, hostileCookie, noteCookie, sessionCookie } from './hostile-cookies.ts'
import { hostileHttp } from './hostile-http.ts'
import { hostileId, hostileSegment, wellFormed } from './hostile-text.ts'
import { atOnce, exchangeRaw, requestText, statusesOf } from './raw-http.ts'
import type { Attack, Target } from './target.ts'

const [name, password, shared] = ['maria', 'a-password-of-her-own', 'a-password-that-serves-all']
/** Stands on pages for those alone who are known. */
const behindTheDoor = 'pa_req_behind_the_door'

/** Headers of a browser for a form of this console, and for one of another page. */
const own = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', accept: 'text/html' }
const foreign = { ...own, 'sec-fetch-site': 'cross-site' }
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

const fieldNames = ['token', 'name', 'password', 'to', 'value', 'stamp', 'reason', 'kind', 'handler', 'system', 'error']
const moreFields = [
  'do',
  'limit',
  'count',
  'state',
  'resource',
  'action',
  'all',
  'token[]',
  'token[a]',
  '__proto__[polluted]',
]

const pathOf = (path: string, id: string) => path.replace(/:\w+/, () => id)
const posts = routeRules.filter(({ method, path }) => method === 'post' && path !== '/logout').map(({ path }) => path)
/** Every page and answer behind the door. */
const guarded = routeRules
  .filter(({ method, needs }) => method === 'get' && needs !== 'nothing')
  .map(({ path }) => path)

const formText = (fields: readonly (readonly [string, string])[]) =>
  fields.map((pair) => pair.map((text) => encodeURIComponent(wellFormed(text))).join('=')).join('&')
/** Fields of any form with values that no person types, and bodies that are no form. */
const hostileFields = fc.array(fc.tuple(fc.constantFrom(...fieldNames, ...moreFields), hostileId), { maxLength: 8 })
const hostileForm = fc.oneof(
  { weight: 5, arbitrary: hostileFields.map(formText) },
  { weight: 1, arbitrary: fc.constantFrom('%', '%zz=%', '&&&&', '=', 'a[b][c][d]=e', 'a&'.repeat(2_000)) },
  { weight: 1, arbitrary: hostileId.map((id) => wellFormed(id)) },
)
/** An address that no other attack came from: an address with too many failures is only turned away. */
const sender = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `203.${parts.join('.')}`)
const hostileToken = fc.oneof(hostileId, fc.stringMatching(/^[\w-]{43}$/))
const hostileQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom('code', 'state', 'iss', 'error', 'error_description', 'id_token', 'to', 'session_state'),
      hostileId,
    ),
    {
      maxLength: 6,
    },
  )
  .map(formText)

function request(
  what: string,
  { method = 'POST', path, headers }: { method?: string; path: string; headers: Record<string, string> },
  body = '',
  mayPass = false,
): Attack {
  const sent = { ...(method === 'POST' && formType), ...headers }
  const told = `${what}: ${method} ${path.slice(0, 200)} ${body.slice(0, 300)}`
  return { name: told, wire: atOnce(requestText({ method, path, headers: sent }, body)), mayPass }
}

/** Attacks of strangers and of a known person. */
function attacksOn({
  session,
  token,
  loginToken,
  note,
}: Held & { token: string; loginToken: string }): fc.Arbitrary<Attack> {
  const cookie = `${sessionCookie}=${session}`
  const wrongLogin = fc
    .tuple(sender, hostileId, hostileId, hostileId, fc.constantFrom(name, 'nobody', ''))
    .map(([from, given, word, to, known]) => {
      const fields = [
        ['token', loginToken],
        ['name', known || given],
        ['password', word],
        ['to', to],
      ] as const
      return request('a password', { path: '/login', headers: { ...own, 'x-forwarded-for': from } }, formText(fields))
    })
    .filter(({ name: told }) => !told.includes(shared))
  const rightLogin = hostileId.map((to) => {
    const fields = [
      ['token', loginToken],
      ['name', name],
      ['password', password],
      ['to', to],
    ] as const
    return request('the right password', { path: '/login', headers: own }, formText(fields), true)
  })
  const looseLogin = fc
    .tuple(hostileForm, hostileToken, fc.constantFrom(own, foreign, {}))
    .map(([form, given, headers]) =>
      request('a login form', { path: '/login', headers }, `${form}&token=${encodeURIComponent(wellFormed(given))}`),
    )
  const basic = fc.tuple(fc.constantFrom(...guarded), sender, hostileId, hostileId).map(([path, from, given, word]) => {
    const authorization = `Basic ${Buffer.from(`${given}:${word}`).toString('base64')}`
    return request('HTTP Basic', { method: 'GET', path, headers: { authorization, 'x-forwarded-for': from } })
  })
  const forgedCookie = fc
    .tuple(fc.constantFrom(...guarded), hostileCookie({ session, note }), hostileSegment)
    .map(([path, given, id]) =>
      request('a cookie', { method: 'GET', path: pathOf(path, id), headers: { ...own, cookie: given } }),
    )
  const forgedPost = fc
    .tuple(fc.constantFrom(...posts, '/logout'), hostileCookie({ session, note }), hostileForm)
    .map(([path, given, form]) =>
      request(
        'a form with a cookie',
        { path: pathOf(path, behindTheDoor), headers: { ...own, cookie: given } },
        `${form}&token=${token}`,
      ),
    )
  // Forms that would take effect, were they the console's own.
  const soundForm = fc.constantFrom(
    ['/resources/find', `value=${behindTheDoor}`] as const,
    ['/handlers/pause', 'kind=handler&name=follows&reason=x'] as const,
    ['/audit/verify', 'x=y'] as const,
  )
  const looseForm = fc.tuple(fc.constantFrom(...posts), hostileForm)
  const foreignForm = fc
    .tuple(fc.oneof(soundForm, looseForm), hostileToken, fc.boolean())
    .map(([[path, form], given, isForeign]) => {
      // The pages ask for the token of the session; the API, which browsers reach as well, where the request comes from.
      const isOfPage = !path.startsWith('/api/') && !isForeign
      const body = isOfPage ? `${form}&token=${encodeURIComponent(wellFormed(given))}` : `${form}&token=${token}`
      const headers = { ...(isOfPage ? own : foreign), cookie }
      return request('a form from elsewhere', { path: pathOf(path, behindTheDoor), headers }, body)
    })
  const callback = fc
    .tuple(hostileQuery, fc.oneof(fc.constant(`${noteCookie}=${note}`), hostileCookie({ session, note })))
    .map(([query, given]) =>
      request('a callback', {
        method: 'GET',
        path: `/login/oidc/callback?${query}`,
        headers: { ...own, cookie: given },
      }),
    )
  const before = fc
    .tuple(fc.constantFrom('/login', '/login/oidc', '/assets/'), hostileSegment, hostileQuery)
    .map(([path, segment, query]) => {
      const at = path === '/assets/' ? `/assets/${segment}` : `${path}?${query}`
      return request('before the door', { method: 'GET', path: at, headers: own }, '', true)
    })
  const ownForm = fc
    .tuple(fc.constantFrom(...posts), hostileSegment, hostileForm)
    .map(([path, id, form]) =>
      request(
        "the console's own form",
        { path: pathOf(path, id), headers: { ...own, cookie } },
        `token=${token}&${form}`,
        true,
      ),
    )
  const http = hostileHttp({
    path: '/handlers/pause',
    headers: { ...formType, ...own, cookie },
    body: `token=${token}&kind=handler&name=follows`,
  }).map((wire) => ({ name: 'HTTP, with a session', wire, mayPass: true }))
  return fc.oneof(
    { weight: 1, arbitrary: wrongLogin },
    { weight: 1, arbitrary: rightLogin },
    { weight: 2, arbitrary: looseLogin },
    { weight: 1, arbitrary: basic },
    { weight: 3, arbitrary: forgedCookie },
    { weight: 2, arbitrary: forgedPost },
    { weight: 2, arbitrary: foreignForm },
    { weight: 2, arbitrary: callback },
    { weight: 1, arbitrary: before },
    { weight: 6, arbitrary: ownForm },
    { weight: 1, arbitrary: http },
  )
}

/** The console of a gateway in this process, with passwords and an identity provider; one person is logged in. */
export async function startConsoleTarget(): Promise<Target> {
  const port = String(await freePort())
  const publicUrl = `http://127.0.0.1:${port}`
  const provider = await startIdentityProvider(`${publicUrl}/login/oidc/callback`)
  const { gateway, log, mustBeUnharmed, checkFiles, close } = await startAttackedGateway(
    {
      ADMIN_PORT: port,
      ADMIN_URL: publicUrl,
      ADMIN_PASSWORD: shared,
      ADMIN_USERS: JSON.stringify([
        { name, roles: ['operator', 'privacy_officer', 'reveal'], password: await hashPassword(password) },
      ]),
      TRUSTED_PROXIES: '127.0.0.1',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: oidcClient.id,
      OIDC_CLIENT_SECRET: oidcClient.secret,
    },
    createScriptedApi().api,
  )
  await deliver(gateway.url, envelope({ id: behindTheDoor, status: 'created' }))
  const held = await logIn(publicUrl)

  return {
    attacks: attacksOn(held),
    async strike({ wire, mayPass }) {
      log.clear()
      const answers = await exchangeRaw(publicUrl, wire)
      const statuses = statusesOf(answers)
      await mustBeUnharmed()
      must(
        statuses.every((status) => status < 500),
        `answered ${statuses.join(', ')}: ${log.text().slice(0, 2_000)}`,
      )
      must(mayPass || isTurnedAway(answers), `let in a stranger: ${statuses.join(', ')}`)
      must(mayPass || !isGiven(answers), 'gave a session without a password')
      must(mayPass || !answers.includes(behindTheDoor), 'showed what is behind the door')
      must(!/^set-cookie: a=b/m.test(answers), 'sent a header of the attacker')
      for (const [, to = ''] of answers.matchAll(/^location: (.*)\r$/gim))
        must(/^\/(?![/\\])/.test(to) || to.startsWith(`${provider.issuer}/`), `sends people to ${to}`)
      for (const word of [password, shared]) must(!log.text().includes(word), 'logged a password')
      return statuses
    },
    async inspect() {
      await checkFiles()
      const entries = await gateway.ledger.readAudit({ after: 0 }, 100_000)
      const byOthers = entries.filter(({ actor, action }) => actor.name !== name && action !== 'person.refuse')
      // The process writes down its own start.
      const acts = byOthers.filter(({ actor }) => actor.via !== 'process').map(({ action }) => action)
      must(acts.length === 0, `a stranger did: ${acts.join(', ')}`)
      must(
        entries.some(({ action }) => action === 'person.login'),
        'the trail does not know of the login',
      )
    },
    async close() {
      await close()
      await provider.close()
    },
  }
}

/** Whether every answer refuses, or leads to the login. */
function isTurnedAway(answers: string): boolean {
  const ways = [...answers.matchAll(/^location: (.*)\r$/gim)].map(([, to = '']) => to)
  const redirected = statusesOf(answers).filter((status) => status < 400)
  return redirected.every((status) => status === 303) && ways.every((to) => /^\/login(\?|$)/.test(to))
}

/** Whether an answer begins a session. */
function isGiven(answers: string): boolean {
  return new RegExp(`^set-cookie: ${sessionCookie}=[^;\\s]`, 'im').test(answers)
}

const tokenIn = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''

function cookieOf(answer: Response, wanted: string): string {
  const found = answer.headers.getSetCookie().map((each) => each.split(';', 1)[0]?.split('=', 2) ?? [])
  return found.find(([cookie]) => cookie === wanted)?.[1] ?? ''
}

/** Logs in as a browser does, and begins a login at the identity provider without ending it. */
async function logIn(url: string): Promise<Held & { token: string; loginToken: string }> {
  const get = (path: string, headers = {}) =>
    fetch(`${url}${path}`, { redirect: 'manual', headers: { ...own, ...headers } })
  const loginToken = tokenIn(await (await get('/login')).text())
  const body = new URLSearchParams({ token: loginToken, name, password })
  const answer = await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', headers: own, body })
  const session = cookieOf(answer, sessionCookie)
  const note = cookieOf(await get('/login/oidc'), noteCookie)
  const page = await (await get('/resources', { cookie: `${sessionCookie}=${session}` })).text()
  const token = tokenIn(page)
  must(
    [loginToken, session, note, token].every((each) => each !== ''),
    'no login works',
  )
  must(page.includes(behindTheDoor), 'there is nothing behind the door')
  return { session, note, token, loginToken }
}
