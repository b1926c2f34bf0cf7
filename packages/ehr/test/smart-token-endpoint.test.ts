import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSmartBackend, type SmartBackendOptions } from '../src/fhir/auth/smart-backend.ts'
import type { SigningKey } from '../src/fhir/auth/signing-keys.ts'
import { type AnswerRequest, type FarSide, type FarSideAnswer, startFarSide } from '../../testing/src/far-side.ts'
import { createKeyFolder, type KeyFolder } from '../../../test/support/fhir-keys.ts'
import { until } from '../../../test/support/until.ts'

let folder: KeyFolder
let key: SigningKey
let server: FarSide
let answer: AnswerRequest
let now: number

beforeAll(async () => {
  folder = await createKeyFolder()
  key = (await folder.make('ES384')).key
})
afterAll(() => folder.remove())
beforeEach(async () => {
  now = Date.now()
  answer = () => token('first')
  server = await startFarSide((request) => answer(request))
})
afterEach(() => server.close())

const { signal } = new AbortController()
const json = (body: unknown, status = 200): FarSideAnswer => ({ status, body })
const token = (access_token: string, more = {}) =>
  json({ access_token, token_type: 'bearer', expires_in: 300, ...more })

function backend(different: Partial<SmartBackendOptions> = {}) {
  const baseUrl = `${server.url}/fhir`
  const tokenUrl = `${server.url}/token`
  const clock = { now: () => now }
  return createSmartBackend({
    baseUrl,
    tokenUrl,
    clientId: 'pawl',
    key,
    scopes: 'system/Task.crus',
    clock,
    ...different,
  })
}

describe('a token endpoint', () => {
  it('is shown who asks: issuer and subject, its own address, a new id each time, and five minutes at most', async () => {
    const tokens = backend()
    await tokens.token(signal)
    now += 300_000
    await tokens.token(signal)
    const forms = server.requests.map(({ body }) => new URLSearchParams(body))
    const assertions = forms.map((form) => form.get('client_assertion') ?? '')
    expect(decodeProtectedHeader(assertions[0] ?? '')).toEqual({ alg: 'ES384', kid: key.kid, typ: 'JWT' })
    const [first, second] = assertions.map((assertion) => decodeJwt(assertion))
    expect(first).toMatchObject({ iss: 'pawl', sub: 'pawl', aud: `${server.url}/token` })
    expect((first?.exp ?? 0) - (first?.iat ?? 0)).toBeLessThanOrEqual(300)
    expect(first?.jti).not.toBe(second?.jti)
    expect(forms[0]?.get('scope')).toBe('system/Task.crus')
  })

  it.each([
    ['answers 503', { status: 503, body: '' }, 'HTTP 503'],
    ['says that requests are too many', { status: 429, body: '{"error":"slow_down"}' }, 'HTTP 429'],
    ['answers what is not JSON', { status: 200, body: '<html>canary</html>' }, 'no bearer token'],
    ['gives no bearer token', token('first', { token_type: 'DPoP' }), 'no bearer token'],
    ['gives a token that no header can carry', token('two lines\r\nx: y'), 'no bearer token'],
    ['cuts the connection', 'cut', 'no connection'],
  ] as const)('that %s is waited for', async (_, answered, reason) => {
    answer = () => answered
    await expect(backend().token(signal)).rejects.toMatchObject({
      code: 'fhir_token_unavailable',
      retry: 'backoff',
      isOutage: true,
      costsAttempt: false,
      message: expect.stringContaining(reason),
    })
  })

  it('that is down is waited for', async () => {
    const tokenUrl = `${server.url}/token`
    await server.close()
    await expect(backend({ tokenUrl }).token(signal)).rejects.toMatchObject({
      code: 'fhir_token_unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('that is slow does not hold a cancelled run, and serves the runs that wait on', async () => {
    let letGo = () => {}
    answer = () => new Promise((resolve) => (letGo = () => resolve(token('late'))))
    const tokens = backend()
    const run = new AbortController()
    const [impatient, patient] = [tokens.token(run.signal), tokens.token(signal)]
    run.abort()
    await expect(impatient).rejects.toMatchObject({ code: 'fhir_token_unavailable', isOutage: false })
    await expect(tokens.token(run.signal)).rejects.toMatchObject({ isOutage: false })
    await until('a request came', () => server.requests.length === 1)
    letGo()
    expect(await patient).toBe('late')
  })

  it.each([
    [{ error: 'invalid_client', error_description: 'canary' }, 'invalid_client', /FHIR_CLIENT_ID/],
    [{ error: 'unauthorized_client' }, 'unauthorized_client', /client_credentials/],
    [{ error: 'canary of a word' }, undefined, /HTTP 400\)/],
    ['canary', undefined, /HTTP 400\)/],
  ])('that refuses is quoted by known words alone: %j', async (body, oauthError, message) => {
    answer = () => json(body, 400)
    const error = await backend()
      .token(signal)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'fhir_token_refused', oauthError, message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('canary')
  })

  it('in trouble is left alone for a moment by every run', async () => {
    answer = () => json({ error: 'invalid_client' }, 401)
    const tokens = backend()
    for (let request = 0; request < 5; request += 1)
      await expect(tokens.token(signal)).rejects.toMatchObject({ code: 'fhir_token_refused' })
    expect(server.requests).toHaveLength(1)
    answer = () => token('at-last')
    now += 5_000
    expect(await tokens.token(signal)).toBe('at-last')
  })

  it('in trouble when a token is to be renewed is not noticed before the token has ended', async () => {
    const tokens = backend()
    await tokens.token(signal)
    answer = () => ({ status: 503, body: '' })
    now += 250_000
    expect(await tokens.token(signal)).toBe('first')
    await until('a request came', () => server.requests.length === 2)
    expect(await tokens.token(signal)).toBe('first')
    now += 50_000
    await expect(tokens.token(signal)).rejects.toMatchObject({ code: 'fhir_token_unavailable' })
  })

  it('that does not say how long a token holds is asked again within five minutes', async () => {
    answer = () => token(`token-${server.requests.length}`, { expires_in: undefined })
    const tokens = backend()
    expect(await tokens.token(signal)).toBe('token-1')
    now += 300_000
    expect(await tokens.token(signal)).toBe('token-2')
  })

  it('is not asked through a redirect', async () => {
    answer = () => ({ status: 302, body: '' })
    await expect(backend().token(signal)).rejects.toMatchObject({ code: 'fhir_token_refused', httpStatus: 302 })
  })
})

describe('the SMART configuration', () => {
  it('is read again after a failure, since the endpoint may have moved', async () => {
    let endpoint = '/old'
    answer = ({ path }) => {
      if (path.endsWith('/.well-known/smart-configuration')) return json({ token_endpoint: `${server.url}${endpoint}` })
      return path === '/new' ? token('moved') : { status: 404, body: '' }
    }
    const tokens = backend({ tokenUrl: undefined })
    await expect(tokens.token(signal)).rejects.toMatchObject({ code: 'fhir_token_refused', httpStatus: 404 })
    endpoint = '/new'
    now += 5_000
    expect(await tokens.token(signal)).toBe('moved')
  })

  it.each([
    ['is not there', { status: 404, body: '' }],
    ['names no token endpoint', json({ issuer: 'https://ehr.example' })],
    ['names what is no address', json({ token_endpoint: 'javascript:alert(1)' })],
    ['is not JSON', { status: 200, body: '<html>' }],
  ])('that %s has the reader set FHIR_TOKEN_URL', async (_, answered) => {
    answer = () => answered
    await expect(backend({ tokenUrl: undefined }).token(signal)).rejects.toMatchObject({
      code: 'fhir_token_unavailable',
      message: expect.stringContaining('FHIR_TOKEN_URL'),
    })
  })

  it('that does not answer has the reader check the address of the chart, and nothing else', async () => {
    const nowhere = backend({ baseUrl: 'http://127.0.0.1:9/fhir', tokenUrl: undefined })
    await expect(nowhere.token(signal)).rejects.toMatchObject({
      message: expect.stringMatching(/no connection \(ECONNREFUSED\)\); check FHIR_BASE_URL and the network\./),
    })
  })

  it.each(['http://169.254.169.254/token', 'http://10.0.0.1:1/token', 'http://203.0.113.9:1/token'])(
    'that names an endpoint in another network, %s, has the operator say whether that is right',
    async (endpoint) => {
      answer = () => json({ token_endpoint: endpoint })
      await expect(backend({ tokenUrl: undefined }).token(signal)).rejects.toMatchObject({
        code: 'fhir_token_unavailable',
        message: expect.stringContaining('in a network other than its own; set FHIR_TOKEN_URL'),
      })
    },
  )
})
