import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { base64url, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { verificationCode } from '../src/documents/verification-code.ts'
import { signDelivery } from '../src/webhooks/sign.ts'
import { needs } from '../../../test/support/needs.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const secret = 'a-secret-öf-at-least-thirty-two-characters'
const body = '{"event_type":"x","data":{"id":"é"}}'
const key = new TextEncoder().encode(secret)
const now = Math.floor(Date.now() / 1000)

const sign = (claims: Record<string, unknown>, alg = 'HS256', under = key) =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(under)
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const delivery = (bodyDigest: boolean) => signDelivery({ secret, body, bodyDigest, nowMs: Date.now() })

/** Headers, and whether they are accepted with this body. */
async function headers(): Promise<[about: string, header: string | undefined, isAccepted: boolean][]> {
  const good = await delivery(false)
  const [head = '', claims = '', signature = ''] = good.split('.')
  const unsigned = `${base64url.encode('{"alg":"none"}')}.${claims}.`
  return [
    ['of the sandbox', good, true],
    ['of the sandbox, with a digest', await delivery(true), true],
    ['without claims', await sign({}), true],
    ['with an unknown issuer and audience', await sign({ iss: 'anyone', aud: 'anything' }), true],
    ['expired within the leeway', await sign({ exp: now - 5 }), true],
    ['missing', undefined, false],
    ['empty', '', false],
    ['no JWT', 'a.b.c', false],
    ['not ASCII', 'é.é.é', false],
    ['expired', await sign({ exp: now - 100 }), false],
    ['not yet valid', await sign({ nbf: now + 100 }), false],
    ['with an expiry that is no number', await sign({ exp: 'soon' }), false],
    ['of another body', await sign({ body_sha256: digest('{}') }), false],
    ['with a digest that is no text', await sign({ body_sha256: 7 }), false],
    ['under another secret', await sign({}, 'HS256', new TextEncoder().encode(`${secret}!`)), false],
    ['of another algorithm', await sign({}, 'HS512'), false],
    ['unsigned', unsigned, false],
    ['with other claims', `${head}.${base64url.encode('{"exp":99999999999}')}.${signature}`, false],
    ['without its signature', `${head}.${claims}.`, false],
  ]
}

const codeOf = (language: string) => verificationCode.find((one) => one.language === language)?.code ?? ''

/** Runs a snippet with a few lines that call it for each header; resolves with its answers. */
async function run(file: string, code: string, command: string, args: string[]): Promise<boolean[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-verify-'))
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, file), code)
    const input = JSON.stringify({ headers: (await headers()).map(([, header]) => header ?? null), body, secret })
    const { stdout, stderr } = spawnSync(command, [...args, file], { cwd: folder, input, encoding: 'utf8' })
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function expected(): Promise<[string, boolean][]> {
  return (await headers()).map(([about, , isAccepted]) => [about, isAccepted])
}

async function answered(answers: boolean[]): Promise<[string, boolean | undefined][]> {
  return (await headers()).map(([about], index) => [about, answers[index]])
}

const python = needs('python3')

describe('the code that verifies a delivery', () => {
  it('accepts and refuses as the interface says, in TypeScript', async () => {
    const caller = `
import { readFileSync } from 'node:fs'
const { headers, body, secret } = JSON.parse(readFileSync(0, 'utf8'))
const bytes = new TextEncoder().encode(body)
const answers: boolean[] = []
for (const header of headers) answers.push(await verifyWebhook(header ?? undefined, bytes, secret))
console.log(JSON.stringify(answers))
`
    const answers = await run('check.ts', codeOf('TypeScript') + caller, process.execPath, ['--import', 'tsx'])
    expect(await answered(answers)).toEqual(await expected())
  })

  it.skipIf(python === undefined)('accepts and refuses as the interface says, in Python', async () => {
    const caller = `

import sys
given = json.load(sys.stdin)
print(json.dumps([verify_webhook(header, given["body"].encode(), given["secret"]) for header in given["headers"]]))
`
    const answers = await run('check.py', codeOf('Python') + caller, python ?? '', [])
    expect(await answered(answers)).toEqual(await expected())
  })

  it.each(verificationCode.map(({ language, code }) => [language, code]))(
    'pins HS256, allows half a minute between clocks, and reads the digest of the body, in %s',
    (_language, code) => {
      expect(code).toContain('X-Webhook-Secret')
      expect(code).toMatch(/HS256|HMAC256/)
      expect(code).toMatch(/\b30\b/)
      expect(code).toContain('body_sha256')
      expect(code).toMatch(/utf[-_]?8|TextEncoder|\.encode\(\)|\[\]byte\(secret\)|string \$secret/i)
    },
  )

  it.each(verificationCode.map(({ language, code }) => [language, code]))(
    'asks for no issuer and no audience, which the service does not document, in %s',
    (language, code) => {
      if (language === 'C#') expect(code).toMatch(/ValidateIssuer = false,\s+ValidateAudience = false/)
      else expect(code).not.toMatch(/issuer|audience|\biss\b|\baud\b/i)
    },
  )
})
