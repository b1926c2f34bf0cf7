import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SignJWT } from 'jose'
import { createSmartBackend, type SmartBackendOptions } from '../src/fhir/auth/smart-backend.ts'
import type { SigningKey } from '../src/fhir/auth/signing-keys.ts'
import { FhirTokenRefused } from '../src/fhir/auth/token-errors.ts'
import { createKeyFolder, type KeyFolder } from '../../../test/support/fhir-keys.ts'
import { hasProvider } from '../../../test/foreign/oidc-provider.ts'
import {
  clientId,
  deniedScope,
  type OAuthServer,
  scopes,
  startOAuthServer,
} from '../../../test/support/oauth-server.ts'
import { until } from '../../../test/support/until.ts'

let folder: KeyFolder
let ec: SigningKey
let rsa: SigningKey
let server: OAuthServer
let now: number

beforeAll(async () => {
  folder = await createKeyFolder()
  ec = (await folder.make('ES384')).key
  rsa = (await folder.make('RS384')).key
})
afterAll(() => folder.remove())
beforeEach(async () => {
  server = await startOAuthServer({ keys: [ec.publicKey, rsa.publicKey] })
  now = Date.now()
})
afterEach(() => server.close())

const { signal } = new AbortController()

function backend(different: Partial<SmartBackendOptions> = {}) {
  const { baseUrl } = server
  return createSmartBackend({
    baseUrl,
    clientId,
    key: ec,
    scopes: scopes.join(' '),
    clock: { now: () => now },
    ...different,
  })
}

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.unreachable('a token was given'),
    (error: unknown) => {
      if (error instanceof FhirTokenRefused) return error
      throw error
    },
  )

describe.skipIf(!hasProvider)('SMART Backend Services, at a real OAuth server', () => {
  it.each(['ES384', 'RS384'] as const)('gets a token with a key for %s, which the server takes', async (algorithm) => {
    const tokens = backend({ key: algorithm === 'ES384' ? ec : rsa })
    expect(await server.statusFor(undefined)).toBe(401)
    expect(await server.statusFor(await tokens.token(signal))).toBe(200)
  })

  it('asks at the token endpoint that the settings name, where they name one', async () => {
    const tokens = backend({ baseUrl: 'http://127.0.0.1:9/fhir', tokenUrl: server.tokenUrl })
    expect(await server.statusFor(await tokens.token(signal))).toBe(200)
  })

  it('asks once for all who wait, and not again while the token holds', async () => {
    const tokens = backend()
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.token(new AbortController().signal)))
    now += 239_000
    all.push(await tokens.token(signal))
    expect(new Set(all).size).toBe(1)
    expect(server.tokenRequests()).toBe(1)
  })

  it('renews a token a minute before its end, while requests go on with the one at hand', async () => {
    const tokens = backend()
    const first = await tokens.token(signal)
    now += 241_000
    expect(await tokens.token(signal)).toBe(first)
    const second = await until('another token', async () => {
      const token = await tokens.token(signal)
      return token !== first && token
    })
    expect(await server.statusFor(second)).toBe(200)
    expect(server.tokenRequests()).toBe(2)
  })

  it('never gives a token that has ended', async () => {
    const tokens = backend()
    const first = await tokens.token(signal)
    now += 300_000
    expect(await tokens.token(signal)).not.toBe(first)
  })

  it('renews a token of a short life after half of it', async () => {
    await server.close()
    server = await startOAuthServer({ keys: [ec.publicKey], lifeSeconds: 20 })
    const tokens = backend()
    const first = await tokens.token(signal)
    now += 9_000
    await tokens.token(signal)
    expect(server.tokenRequests()).toBe(1)
    now += 2_000
    await until('another token', async () => (await tokens.token(signal)) !== first)
  })

  it('brings another token after a 401 to one that was withdrawn', async () => {
    const tokens = backend()
    const first = await tokens.token(signal)
    server.withdrawTokens()
    expect(await server.statusFor(first)).toBe(401)
    tokens.refused(first ?? '')
    expect(await server.statusFor(await tokens.token(signal))).toBe(200)
  })

  it('brings another token after a 401 to one that the server let end early', async () => {
    await server.close()
    server = await startOAuthServer({ keys: [ec.publicKey], lifeSeconds: 1 })
    const still = now
    const tokens = backend({ clock: { now: () => still } })
    const first = await tokens.token(signal)
    await until('the token has ended at the server', async () => (await server.statusFor(first)) === 401)
    tokens.refused(first ?? '')
    expect(await tokens.token(signal)).not.toBe(first)
  })

  it('does not ask again for each 401 where the server refuses fresh tokens as well, but once a minute', async () => {
    const tokens = backend()
    for (let request = 0; request < 10; request += 1) tokens.refused((await tokens.token(signal)) ?? '')
    expect(server.tokenRequests()).toBe(2)
    now += 60_000
    tokens.refused((await tokens.token(signal)) ?? '')
    await tokens.token(signal)
    expect(server.tokenRequests()).toBe(3)
  })

  it('goes on with the second key once the first was withdrawn', async () => {
    expect(await server.statusFor(await backend({ key: ec }).token(signal))).toBe(200)
    server.replaceKeys([rsa.publicKey])
    expect((await refusal(backend({ key: ec }).token(signal))).oauthError).toBe('invalid_client')
    expect(await server.statusFor(await backend({ key: rsa }).token(signal))).toBe(200)
  })

  it('says what to do where the server does not know client or key, and that clocks are not to blame', async () => {
    const error = await refusal(backend({ clientId: 'somebody-else' }).token(signal))
    expect(error).toMatchObject({
      code: 'fhir_token_refused',
      system: 'ehr',
      httpStatus: 401,
      oauthError: 'invalid_client',
      retry: 'backoff',
      isOutage: true,
      costsAttempt: false,
    })
    expect(error.message).toMatch(/FHIR_CLIENT_ID.*clock of this machine agrees/)
  })

  it('names a clock that is wrong', async () => {
    now -= 600_000
    expect((await refusal(backend().token(signal))).message).toMatch(/clock of this machine is (599|60\d) s behind/)
  })

  it('names scopes that the client may not have', async () => {
    const error = await refusal(backend({ scopes: deniedScope }).token(signal))
    expect(error.message).toContain('FHIR_SCOPES')
    expect(error.oauthError).toBe('invalid_scope')
  })

  it('is refused by the server with an assertion that was meant for another', async () => {
    const elsewhere = async (aud: string) => {
      const { algorithm: alg, kid, privateKey } = ec
      const assertion = await new SignJWT()
        .setProtectedHeader({ alg, kid })
        .setIssuer(clientId)
        .setSubject(clientId)
        .setAudience(aud)
        .setJti(crypto.randomUUID())
        .setExpirationTime('4m')
        .sign(privateKey)
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      })
      return (await fetch(server.tokenUrl, { method: 'POST', body })).status
    }
    expect(await elsewhere('https://other.example/token')).toBe(401)
    expect(await elsewhere(server.tokenUrl)).toBe(200)
  })
})
