import fc from 'fast-check'
import { jwtVerify } from 'jose'
import { expect, it } from 'vitest'
import { createVerify } from '../../packages/client/src/verify/verify.ts'
import { hostileToken } from '../fuzz/hostile-tokens.ts'
import { webhookSecret } from '../support/webhook.ts'
import { oldSecret } from './receiver-stand.ts'
import { forge, hmac } from './signed-requests.ts'

const now = Date.parse('2026-03-01T12:00:00.400Z')
const second = Math.floor(now / 1_000)

/** Whole and broken seconds around the clock and its tolerance. */
const near = fc.constantFrom(-31, -30.5, -30, -29.5, -29, -1, 0, 1, 29, 30, 30.5, 31).map((offset) => second + offset)

/** Tokens with good signatures, whose times are around the clock. */
const timely = fc
  .tuple(fc.record({ exp: near, nbf: near, iat: near, sub: fc.string() }, { requiredKeys: [] }), fc.boolean())
  .map(([claims, isOld]) => forge({ alg: 'HS256' }, claims, hmac('sha256', isOld ? oldSecret : webhookSecret)))

const hostile = fc.oneof(...[webhookSecret, oldSecret, 'another-secret-of-at-least-32-characters'].map(hostileToken))

const tokens = fc.oneof({ weight: 1, arbitrary: timely }, { weight: 4, arbitrary: hostile.map(({ token }) => token) })

/** The names of the claims that jose accepts, with the secrets as bytes; `undefined` if it accepts none. Two rules are stricter than jose. */
async function decideByJose(token: string): Promise<string[] | undefined> {
  // Only the alphabet of base64url: jose also accepts padding and white space.
  if (!/^[\w.-]*$/.test(token)) return undefined
  for (const secret of [webhookSecret, oldSecret]) {
    const options = { algorithms: ['HS256'], clockTolerance: 30, currentDate: new Date(now) }
    const verified = await jwtVerify(token, Buffer.from(secret), options).catch(() => undefined)
    // No header is critical, not even `b64`, which jose knows.
    if (verified !== undefined && verified.protectedHeader.crit === undefined) return Object.keys(verified.payload)
  }
  return undefined
}

it('the verifier decides 3,000 generated tokens as jose does', async () => {
  const verify = await createVerify([webhookSecret, oldSecret], () => now)
  const differing: string[] = []
  let accepted = 0
  async function compare(token: string): Promise<void> {
    const [ours, theirs] = await Promise.all([
      verify(token).then(
        ({ claims }) => claims,
        () => undefined,
      ),
      decideByJose(token),
    ])
    if (ours !== undefined) accepted += 1
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) differing.push(token)
  }
  const all = fc.sample(tokens, { numRuns: 3_000, seed: 23 })
  // Many at once, since the check of a signature waits for another thread.
  while (all.length > 0) await Promise.all(all.splice(-500).map(compare))
  expect(differing).toEqual([])
  // Neither of the two answers is rare.
  expect(accepted).toBeGreaterThan(300)
  expect(accepted).toBeLessThan(2_700)
})

it.each([
  ['a critical header that jose knows', forge({ alg: 'HS256', crit: ['b64'], b64: true }, {}, hmac('sha256'))],
  ['a signature with padding', `${forge({ alg: 'HS256' }, {}, hmac('sha256'))}=`],
])('%s is refused, though jose accepts it', async (_, token) => {
  const verify = await createVerify([webhookSecret], () => now)
  await expect(jwtVerify(token, Buffer.from(webhookSecret))).resolves.toBeDefined()
  await expect(verify(token)).rejects.toMatchObject({ code: 'token_invalid' })
})
