import { afterEach, describe, expect, it } from 'vitest'
import { reachTokenEndpoint } from '../src/fhir/auth/reach-token-endpoint.ts'
import { type FarSide, startFarSide } from '../../testing/src/far-side.ts'

let server: FarSide | undefined
afterEach(() => server?.close())

/** Resolves names as the test says, in turn. */
function resolving(names: Record<string, string[]>) {
  return (host: string) => {
    const address = names[host]?.shift()
    if (address === undefined) return Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }])
  }
}

const refused = { code: 'fhir_token_unavailable', message: expect.stringContaining('FHIR_TOKEN_URL') as string }

describe('a token endpoint that the EHR names', () => {
  it.each([
    ['https://fhir.example/r4', '8.8.8.8', 'https://login.example/token', '8.8.4.4'],
    ['https://fhir.example/r4', '10.1.1.1', 'https://login.example/token', '10.2.2.2'],
    ['https://fhir.example/r4', '10.1.1.1', 'https://login.example/token', '8.8.4.4'],
    ['https://fhir.example/r4', '8.8.8.8', 'https://fhir.example/token', '10.2.2.2'],
    ['http://fhir.example/r4', 'fe80::1', 'http://login.example/token', 'fe80::2'],
  ])('of %s (%s) is asked at %s (%s)', async (base, baseAddress, token, tokenAddress) => {
    const resolve = resolving({
      'fhir.example': [baseAddress, tokenAddress],
      'login.example': [tokenAddress],
    })
    expect(await reachTokenEndpoint(token, base, resolve)).toBeTypeOf('function')
  })

  it.each([
    ['https://fhir.example/r4', '8.8.8.8', 'https://login.example/token', '10.2.2.2'],
    ['https://fhir.example/r4', '8.8.8.8', 'https://login.example/token', '127.0.0.1'],
    ['https://fhir.example/r4', '10.1.1.1', 'https://login.example/token', '127.0.0.1'],
    ['https://fhir.example/r4', '10.1.1.1', 'https://login.example/token', '169.254.169.254'],
    ['http://fhir.example/r4', '10.1.1.1', 'http://login.example/token', '8.8.4.4'],
  ])('of %s (%s) is not asked at %s (%s)', async (base, baseAddress, token, tokenAddress) => {
    const resolve = resolving({ 'fhir.example': [baseAddress], 'login.example': [tokenAddress] })
    await expect(reachTokenEndpoint(token, base, resolve)).rejects.toMatchObject(refused)
  })

  it('is asked at the very address that was checked, even if the name resolves to another one later', async () => {
    server = await startFarSide(({ headers }) => ({ status: 200, body: headers.host ?? '' }))
    const { port } = new URL(server.url)
    const resolve = resolving({ 'fhir.example': ['127.0.0.1'], 'login.example': ['127.0.0.1', '127.0.0.2'] })
    const fetch = await reachTokenEndpoint(`http://login.example:${port}/token`, 'http://fhir.example', resolve)
    const answer = await fetch(`http://login.example:${port}/token`, {
      method: 'GET',
      headers: {},
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    expect(await answer.text()).toBe(`login.example:${port}`)
  })

  it('with an unknown host name is an outage, by its code alone', async () => {
    const resolve = resolving({ 'fhir.example': ['10.1.1.1'] })
    await expect(
      reachTokenEndpoint('https://login.example/token', 'https://fhir.example', resolve),
    ).rejects.toMatchObject({
      retry: 'backoff',
      message: expect.stringContaining('ENOTFOUND') as string,
    })
  })
})
