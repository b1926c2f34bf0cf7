import { expect, it } from 'vitest'
import { signToken } from '../support/webhook.ts'
import { mounts, startReceiverStand } from './receiver-stand.ts'
import { goodBody, inSeconds, post } from './signed-requests.ts'

/** As a service with a good clock makes them, a moment ago, for five minutes. */
const fresh = () => ({ iat: inSeconds(0), exp: inSeconds(300) })
const freshFromNow = () => ({ ...fresh(), nbf: inSeconds(0) })
const refused = { status: 401, body: { error: { code: 'token_expired' } } }

it.each([
  ['an hour ahead refuses tokens that expire soon', 3_600, fresh, refused],
  ['an hour ahead accepts tokens that expire later', 3_600, () => ({ exp: inSeconds(7_200) }), { status: 202 }],
  ['an hour behind refuses tokens that begin now', -3_600, freshFromNow, refused],
  ['an hour behind accepts tokens with iat but without nbf', -3_600, fresh, { status: 202 }],
])('a receiver whose clock is %s', async (_, aheadSeconds, claims, expected) => {
  const stand = await startReceiverStand(mounts["pawl's own server"], () => Date.now() + aheadSeconds * 1_000)
  const answer = await post(stand.url, goodBody, { 'x-webhook-secret': await signToken(claims()) })
  expect(answer).toMatchObject(expected)
  expect(stand.noted).toEqual(expected.status === 401 ? ['token_expired'] : [])
  await stand.destroy()
})
