import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConfigInvalid } from '../../base/src/errors.ts'
import { createSmartBackend } from '../src/fhir/auth/smart-backend.ts'
import { readSigningKeys } from '../src/fhir/auth/signing-keys.ts'
import { tokenProviderFrom } from '../src/fhir/auth/token-provider-from.ts'
import { createMemoryEhr } from '../src/memory/memory-ehr.ts'
import { createKeyFolder, type KeyFolder } from '../../../test/support/fhir-keys.ts'
import { hasProvider } from '../../../test/foreign/oidc-provider.ts'
import { clientId, scopes, startOAuthServer } from '../../../test/support/oauth-server.ts'
import { argumentsFor } from '../../../test/support/run-script.ts'
import { startLocalGateway } from '../../../test/support/start-local-gateway.ts'

let folder: KeyFolder
beforeEach(async () => {
  folder = await createKeyFolder()
})
afterEach(() => folder.remove())

const { signal } = new AbortController()
const privateJwk = (type: 'ec' | 'rsa' | 'ed25519', options: object) =>
  // The overloads of Node's types know each kind of key by itself.
  generateKeyPairSync(type as 'ec', options as { namedCurve: string }).privateKey.export({ format: 'jwk' })

describe('key files of SMART', () => {
  it('give the keys in their order, each with the algorithm that it is for', async () => {
    const [rsa, ec] = [await folder.make('RS384'), await folder.make('ES384')]
    const keys = readSigningKeys([rsa.file, ec.file])
    expect(keys.map(({ kid, algorithm }) => [kid, algorithm])).toEqual([
      [rsa.key.kid, 'RS384'],
      [ec.key.kid, 'ES384'],
    ])
  })

  it.each<[string, unknown, RegExp]>([
    ['is no JSON', 'canary', /is not JSON/],
    ['is no JWK', { canary: true }, /is no JWK/],
    ['has no kid', privateJwk('ec', { namedCurve: 'P-384' }), /has no kid/],
    [
      'is an EC key on another curve',
      { ...privateJwk('ec', { namedCurve: 'P-256' }), kid: 'k' },
      /neither an EC key on P-384/,
    ],
    ['is a short RSA key', { ...privateJwk('rsa', { modulusLength: 1_024 }), kid: 'k' }, /RSA key of 2048 bits/],
    ['is of another kind', { ...privateJwk('ed25519', {}), kid: 'k' }, /neither an EC key/],
    ['is public alone', { ...privateJwk('ec', { namedCurve: 'P-384' }), d: undefined, kid: 'k' }, /no private key/],
    [
      'is for another algorithm',
      { ...privateJwk('rsa', { modulusLength: 2_048 }), kid: 'k', alg: 'RS256' },
      /another algorithm/,
    ],
  ])('with one that %s are refused with a sentence', async (_, content, fault) => {
    const file = await folder.write('key.json', content)
    expect(() => readSigningKeys([file])).toThrow(ConfigInvalid)
    expect(() => readSigningKeys([file])).toThrow(fault)
    expect(() => readSigningKeys([file])).not.toThrow(/canary/)
  })

  it('that are missing, or two with one kid, are refused', async () => {
    const { file } = await folder.make('ES384')
    expect(() => readSigningKeys([resolve(folder.path, 'none.json')])).toThrow(/ENOENT/)
    expect(() => readSigningKeys([file, file])).toThrow(/same kid/)
  })
})

const Jwks = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) })

describe('the public listener, with keys of SMART,', () => {
  it.each(['all', 'receiver'])(
    'serves the public parts of the keys, and nothing else of them, in role %s',
    async (ROLE) => {
      const [ec, rsa] = [await folder.make('ES384'), await folder.make('RS384')]
      const settings = { FHIR_KEY_FILES: [ec.file, rsa.file], FHIR_SCOPES: '' }
      const { publicKeys } = tokenProviderFrom('https://ehr.example/fhir', settings)
      const ehr = { ...createMemoryEhr({ identifierBase: 'https://hospital.example/ids' }), publicKeys }
      const gateway = await startLocalGateway({ ehr }, { ROLE })
      const answer = await fetch(`${gateway.url}/.well-known/jwks.json`)
      const { keys } = Jwks.parse(await answer.json())
      await gateway.destroy()
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      expect(keys.map(({ kid }) => kid)).toEqual([ec.key.kid, rsa.key.kid])
      expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([
        ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
        ['alg', 'e', 'kid', 'kty', 'n', 'use'],
      ])
    },
  )

  it('keeps private parts to itself even if a system hands them over', async () => {
    const { file } = await folder.make('RS384')
    const key = z.looseObject({ kty: z.literal('RSA') }).parse(JSON.parse(await readFile(file, 'utf8')))
    const ehr = { ...createMemoryEhr({ identifierBase: 'https://hospital.example/ids' }), publicKeys: () => [key] }
    const gateway = await startLocalGateway({ ehr })
    const [served] = Jwks.parse(await (await fetch(`${gateway.url}/.well-known/jwks.json`)).json()).keys
    await gateway.destroy()
    expect(Object.keys(served ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  it('has none where no system has keys', async () => {
    const gateway = await startLocalGateway()
    const { status } = await fetch(`${gateway.url}/.well-known/jwks.json`)
    await gateway.destroy()
    expect(status).toBe(404)
  })

  it.skipIf(!hasProvider)('serves keys by which an OAuth server knows pawl', async () => {
    const { file, key } = await folder.make('ES384')
    const { publicKeys } = tokenProviderFrom('https://ehr.example/fhir', { FHIR_KEY_FILES: [file], FHIR_SCOPES: '' })
    const ehr = { ...createMemoryEhr({ identifierBase: 'https://hospital.example/ids' }), publicKeys }
    const gateway = await startLocalGateway({ ehr })
    const server = await startOAuthServer({ keys: `${gateway.url}/.well-known/jwks.json` })
    const tokens = createSmartBackend({ baseUrl: server.baseUrl, clientId, key, scopes: scopes.join(' ') })
    const status = await server.statusFor(await tokens.token(signal))
    await Promise.all([gateway.destroy(), server.close()])
    expect(status).toBe(200)
  })
})

describe('the settings of SMART keys', () => {
  it.skipIf(!hasProvider)('name the token itself, none, or a client whose first key signs', async () => {
    const [first, second] = [await folder.make('ES384'), await folder.make('RS384')]
    const server = await startOAuthServer({ keys: [first.key.publicKey] })
    const FHIR_SCOPES = scopes.join(' ')
    const asked = (more: object) => tokenProviderFrom(server.baseUrl, { FHIR_SCOPES, ...more }).tokens.token(signal)
    expect(await asked({})).toBeUndefined()
    expect(await asked({ FHIR_TOKEN: 'static' })).toBe('static')
    const FHIR_KEY_FILES = [first.file, second.file]
    expect(await server.statusFor(await asked({ FHIR_CLIENT_ID: clientId, FHIR_KEY_FILES }))).toBe(200)
    const swapped = asked({ FHIR_CLIENT_ID: clientId, FHIR_KEY_FILES: FHIR_KEY_FILES.toReversed() })
    await expect(swapped).rejects.toMatchObject({ oauthError: 'invalid_client' })
    await server.close()
  })
})

describe('pawl keys new-fhir', () => {
  function newFhir(...args: string[]): Promise<{ code: unknown; output: string }> {
    return new Promise((done) => {
      execFile(
        process.execPath,
        [...argumentsFor('src/cli/pawl.ts'), 'keys', 'new-fhir', ...args],
        { cwd: folder.path, env: { PATH: process.env.PATH } },
        (error, stdout, stderr) => done({ code: error?.code ?? 0, output: stdout + stderr }),
      )
    })
  }

  it('writes a key that only its owner can read, says its kid and what to do next, and never overwrites one', async () => {
    const { code, output } = await newFhir('--out', 'key.json')
    expect(code).toBe(0)
    const file = resolve(folder.path, 'key.json')
    const [key] = readSigningKeys([file])
    expect(key?.algorithm).toBe('ES384')
    expect(output).toContain(key?.kid)
    expect(output).toMatch(/FHIR_KEY_FILES=key\.json[^]*\/\.well-known\/jwks\.json[^]*FHIR_CLIENT_ID/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    const again = await newFhir('--out', 'key.json', '--algorithm', 'RS384')
    expect(again.code).toBe(1)
    expect(again.output).toContain('The file exists already')
    expect(readSigningKeys([file])[0]?.kid).toBe(key?.kid)
  })

  it('makes keys for RS384, too, names a file after its kid, and refuses other algorithms', async () => {
    const { output } = await newFhir('--algorithm', 'RS384')
    const file = /fhir-key-[\w-]+\.json/.exec(output)?.[0] ?? ''
    const [key] = readSigningKeys([resolve(folder.path, file)])
    expect(key?.algorithm).toBe('RS384')
    expect(file).toContain(key?.kid)
    expect((await newFhir('--algorithm', 'RS256')).code).toBe(2)
  })
})
